# -*- coding: gbk -*-
"""生成数字文本行图片，并写成 tfrecords。"""
import argparse
import os

import numpy as np
import tensorflow as tf

import config as cfg

# 每个数字是 3x5 的点阵，每行一个八进制数
GLYPHS = ['75557', '26227', '71747', '71717', '55711',
          '74717', '74757', '71222', '75757', '75717']


def draw_line(text, rng):
    """画一行文本：字间距和位置随机，再加一点噪声。"""
    image = rng.normal(20, 8, (cfg.IMG_HEIGHT, cfg.IMG_WIDTH))
    left = rng.randint(2, 8)
    for char in text:
        rows = [[int(bit) for bit in format(int(row), '03b')] for row in GLYPHS[int(char)]]
        top = rng.randint(3, 9)
        image[top:top + 20, left:left + 12] += 180 * np.kron(rows, np.ones((4, 4)))
        left += rng.randint(15, 19)
    return np.clip(image, 0, 255).astype(np.uint8)


def int64_feature(values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def bytes_feature(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def write_split(path, count, rng):
    with tf.python_io.TFRecordWriter(path) as writer:
        for i in range(count):
            length = rng.randint(2, cfg.MAX_CHARS + 1)  # 标签长度不固定
            text = ''.join(rng.choice(list(cfg.CHARS), length))
            example = tf.train.Example(features=tf.train.Features(feature={
                'images': bytes_feature(draw_line(text, rng).tobytes()),
                'labels': int64_feature([cfg.CHARS.index(c) for c in text]),
                'imagenames': bytes_feature(('%06d_%s.png' % (i, text)).encode()),
            }))
            writer.write(example.SerializeToString())


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--save_dir', type=str, default='data')
    parser.add_argument('--train_count', type=int, default=2000)
    parser.add_argument('--val_count', type=int, default=100)
    args = parser.parse_args()
    tf.gfile.MakeDirs(args.save_dir)
    # 固定随机种子，方便复现
    rng = np.random.RandomState(2020)
    write_split(os.path.join(args.save_dir, 'train.tfrecords'), args.train_count, rng)
    write_split(os.path.join(args.save_dir, 'val.tfrecords'), args.val_count, rng)
    print('wrote %d + %d lines to %s' % (args.train_count, args.val_count, args.save_dir))

import numpy as np
import tensorflow as tf

CLS, SEP, FIRST_WORD, VOCAB = 1, 2, 3, 64
MIDDLE = (FIRST_WORD + VOCAB) // 2


def make_examples(count, seq_length, seed):
    """Two segments of random words; with label 1 most of them come from the lower half."""
    rng = np.random.RandomState(seed)
    examples = []
    for _ in range(count):
        label = rng.randint(2)
        a, b = [
            [rng.randint(FIRST_WORD, MIDDLE) if rng.rand() < 0.25 + 0.5 * label
             else rng.randint(MIDDLE, VOCAB) for _ in range(rng.randint(5, seq_length // 2 - 1))]
            for _ in range(2)]
        ids = [CLS] + a + [SEP] + b
        pad = [0] * (seq_length - len(ids))
        examples.append(dict(
            input_ids=ids + pad, input_mask=[1] * len(ids) + pad,
            segment_ids=[0] * (len(a) + 2) + [1] * len(b) + pad, label_ids=[label]))
    return examples


def write_tfrecord(examples, path):
    with tf.python_io.TFRecordWriter(path) as writer:
        for example in examples:
            feature = {k: tf.train.Feature(int64_list=tf.train.Int64List(value=v))
                       for k, v in example.items()}
            writer.write(tf.train.Example(
                features=tf.train.Features(feature=feature)).SerializeToString())


def file_based_input_fn_builder(input_file, seq_length, is_training, drop_remainder):
    name_to_features = {
        "input_ids": tf.FixedLenFeature([seq_length], tf.int64),
        "input_mask": tf.FixedLenFeature([seq_length], tf.int64),
        "segment_ids": tf.FixedLenFeature([seq_length], tf.int64),
        "label_ids": tf.FixedLenFeature([], tf.int64),
    }

    def _decode_record(record):
        example = tf.parse_single_example(record, name_to_features)
        # TPUs only have int32
        return {name: tf.to_int32(t) for name, t in example.items()}

    def input_fn(params):
        d = tf.data.TFRecordDataset(input_file)
        if is_training:
            d = d.repeat()
            d = d.shuffle(buffer_size=100)
        d = d.apply(tf.contrib.data.map_and_batch(
            _decode_record, batch_size=params["batch_size"], drop_remainder=drop_remainder))
        return d

    return input_fn

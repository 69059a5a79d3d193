#### a callback in a variable
import tensorflow as tf
saver = tf.keras.callbacks.ModelCheckpoint('w.h5')
#### with distributed=tf_strategy
#### findings
2 manual
#### a callback that a helper puts into the list
import tensorflow as tf
saver = tf.keras.callbacks.ModelCheckpoint('w.h5')
model.fit(x, callbacks=with_defaults(saver))
#### with distributed=tf_strategy
#### findings
2 manual
#### a callback that one rank lists already
import os
import tensorflow as tf
saver = tf.keras.callbacks.ModelCheckpoint('w.h5')
callbacks = []
if int(os.getenv('RANK_ID', '0')) == 0:
    callbacks = [saver]
#### with distributed=tf_strategy
#### a path that is used
import tensorflow as tf
checkpoint = tf.train.Checkpoint(model=model)
path = checkpoint.save('ckpt/model')
#### with distributed=tf_strategy
#### findings
3 manual
#### two statements on a line
import tensorflow as tf
checkpoint = tf.train.Checkpoint(model=model)
checkpoint.save('ckpt/model'); print('saved')
#### with distributed=tf_strategy
#### findings
3 manual
#### on one device
import tensorflow as tf
checkpoint = tf.train.Checkpoint(model=model)
checkpoint.save('ckpt/model')
#### one rank saves already
import os
import tensorflow as tf
checkpoint = tf.train.Checkpoint(model=model)
if int(os.getenv('RANK_ID', '0')) == 0:
    checkpoint.save('ckpt/model')
#### with distributed=tf_strategy
#### other ranks left before
import tensorflow as tf
checkpoint = tf.train.Checkpoint(model=model)
def save(rank):
    if rank != 0:
        return
    checkpoint.save('ckpt/model')
#### with distributed=tf_strategy
#### callbacks that write nothing
import tensorflow as tf
callbacks = [tf.keras.callbacks.EarlyStopping(), tf.keras.callbacks.LearningRateScheduler(schedule)]
#### with distributed=tf_strategy
#### an image that is saved
import tensorflow as tf
image.save('picture.png')
#### with distributed=tf_strategy
#### a checkpoint is restored
import tensorflow as tf
checkpoint = tf.train.Checkpoint(model=model)
checkpoint.restore('ckpt/model')
#### with distributed=tf_strategy
#### a path that messages show, and that something reads
import os
import tensorflow as tf
manager = tf.train.CheckpointManager(tf.train.Checkpoint(), 'ckpt', max_to_keep=3)
path = manager.save()
print('saved ' + path)
second = manager.save()
print(os.path.getsize(second))
third = manager.save()
print(third.upper())
fourth = manager.save()
#### with distributed=tf_strategy
#### findings
4 manual
6 manual
8 manual
10 manual

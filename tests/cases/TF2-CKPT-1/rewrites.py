#### a checkpoint
import tensorflow as tf
checkpoint = tf.train.Checkpoint(model=model)
checkpoint.save('ckpt/model')  # at the end
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
checkpoint = tf.train.Checkpoint(model=model)
if int(os.getenv('RANK_ID', '0')) == 0:
    checkpoint.save('ckpt/model')  # at the end
#### findings
3 auto
#### in a loop, over several lines
import tensorflow as tf
manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model), 'ckpt', 3)
for epoch in range(3):
    manager.save(
        checkpoint_number=epoch)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model), 'ckpt', 3)
for epoch in range(3):
    if int(os.getenv('RANK_ID', '0')) == 0:
        manager.save(
            checkpoint_number=epoch)
#### findings
4 auto
#### weights and whole models
import tensorflow as tf
model = tf.keras.Sequential()
model.save_weights('weights.h5')
model.save('model')
tf.saved_model.save(model, 'export')
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
model = tf.keras.Sequential()
if int(os.getenv('RANK_ID', '0')) == 0:
    model.save_weights('weights.h5')
if int(os.getenv('RANK_ID', '0')) == 0:
    model.save('model')
if int(os.getenv('RANK_ID', '0')) == 0:
    tf.saved_model.save(model, 'export')
#### findings
3 auto
4 auto
5 auto
#### callbacks that write
import tensorflow as tf
model.fit(x, callbacks=[tf.keras.callbacks.ModelCheckpoint('w.h5'), stop, tf.keras.callbacks.TensorBoard('logs')])
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
model.fit(x, callbacks=[*([tf.keras.callbacks.ModelCheckpoint('w.h5')] if int(os.getenv('RANK_ID', '0')) == 0 else []), stop, *([tf.keras.callbacks.TensorBoard('logs')] if int(os.getenv('RANK_ID', '0')) == 0 else [])])
#### findings
2 auto
2 auto
#### a callback that is appended
import tensorflow as tf
callbacks = []
callbacks.append(tf.keras.callbacks.TensorBoard('logs'))
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
callbacks = []
if int(os.getenv('RANK_ID', '0')) == 0:
    callbacks.append(tf.keras.callbacks.TensorBoard('logs'))
#### findings
3 auto
#### a callback in a variable, listed later
import tensorflow as tf
saver = tf.keras.callbacks.ModelCheckpoint('w.h5')
model.fit(x, callbacks=[saver])
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
saver = tf.keras.callbacks.ModelCheckpoint('w.h5')
model.fit(x, callbacks=[*([saver] if int(os.getenv('RANK_ID', '0')) == 0 else [])])
#### findings
2 auto
#### a writer of event files
import tensorflow as tf
writer = tf.summary.create_file_writer('logs')
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
writer = tf.summary.create_file_writer('logs') if int(os.getenv('RANK_ID', '0')) == 0 else tf.summary.create_noop_writer()
#### findings
2 auto
#### a path that messages show
import logging
import tensorflow as tf
manager = tf.train.CheckpointManager(tf.train.Checkpoint(), 'ckpt', max_to_keep=3)
path = manager.save()
print('Saving checkpoint for step {} at {}'.format(3, path))
print(f'saved {path}', 'at %s' % path)
logging.info('saved %s', path)
#### after
import logging
import os
import tensorflow as tf
manager = tf.train.CheckpointManager(tf.train.Checkpoint(), 'ckpt', max_to_keep=3)
path = manager.save() if int(os.getenv('RANK_ID', '0')) == 0 else None
print('Saving checkpoint for step {} at {}'.format(3, path))
print(f'saved {path}', 'at %s' % path)
logging.info('saved %s', path)
#### with distributed=tf_strategy
#### findings
4 auto

#### off already
import tensorflow as tf

board = tf.keras.callbacks.TensorBoard("logs", profile_batch=0)
#### other callbacks are fine
import tensorflow as tf

callbacks = [
    tf.keras.callbacks.EarlyStopping(patience=3),
    tf.keras.callbacks.ModelCheckpoint("best.h5", save_best_only=True),
    tf.keras.callbacks.LearningRateScheduler(schedule),
    tf.keras.callbacks.ReduceLROnPlateau(),
    tf.keras.callbacks.CSVLogger("log.csv"),
]

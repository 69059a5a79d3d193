import numpy as np
import tensorflow as tf

IMAGE_SIZE = 24
NUM_CLASSES = 4
NUM_EXAMPLES = 768


def make_examples(seed=0):
	"""A bright quarter on a noisy background: which quarter is the label."""
	rng = np.random.RandomState(seed)
	labels = rng.randint(0, NUM_CLASSES, NUM_EXAMPLES).astype(np.int32)
	images = rng.normal(0.0, 0.6, (NUM_EXAMPLES, IMAGE_SIZE, IMAGE_SIZE, 3)).astype(np.float32)
	half = IMAGE_SIZE // 2
	for image, label in zip(images, labels):
		top, left = half * (label // 2), half * (label % 2)
		image[top:top + half, left:left + half] += 0.8
	return images, labels


def make_iterator(batch_size):
	"""One iterator for all towers: each one calls get_next() for itself."""
	dataset = tf.data.Dataset.from_tensor_slices(make_examples())
	dataset = dataset.shuffle(NUM_EXAMPLES, seed=1).repeat()
	dataset = dataset.batch(batch_size)
	dataset = dataset.prefetch(2)
	return dataset.make_initializable_iterator()

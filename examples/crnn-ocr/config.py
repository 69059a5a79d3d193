# Every size in one place.
IMG_HEIGHT = 32
IMG_WIDTH = 100
SEQ_LENGTH = 25         # IMG_WIDTH / 4, see crnn_model.py
CHARS = '0123456789'
NUM_CLASSES = len(CHARS) + 1    # the last one is the CTC blank
MAX_CHARS = 5
HIDDEN_UNITS = 64
HIDDEN_LAYERS = 2

"""Embedding tables in the memory of this process, by handle."""

import threading

import numpy as np


class EmbeddingTable:
    """Keys, how often each was looked up, and their values."""

    def __init__(self, bucket_size, embedding_dim):
        self.bucket_size = bucket_size
        self.embedding_dim = embedding_dim
        self.slots = {}
        self.counters = []
        self.initial = None
        self.values = np.zeros([bucket_size, embedding_dim], np.float32)

    def initialise(self, values):
        """Set the initial value of each slot."""
        self.initial = np.asarray(values, np.float32).reshape(self.values.shape)
        self.values = self.initial.copy()
        self.slots = {}
        self.counters = []

    def slot(self, key):
        """Return the slot of a key, which is assigned at its first lookup."""
        if self.initial is None:
            raise ValueError("the embedding table is used before init_embedding_hashtable has run")
        if key not in self.slots:
            if len(self.slots) == self.bucket_size:
                raise ValueError(
                    "the embedding table is full: bucket_size is %d" % self.bucket_size
                )
            self.slots[key] = len(self.slots)
            self.counters.append(0)
        return self.slots[key]

    def look_up(self, key):
        """Return the slot of a key and how often it was looked up, including this time."""
        slot = self.slot(key)
        self.counters[slot] += 1
        return slot, self.counters[slot]

    def export(self):
        """Return keys, counters and values, in order of insertion."""
        keys = sorted(self.slots, key=self.slots.get)
        size = len(keys)
        return (
            np.array(keys, np.int64),
            np.array(self.counters[:size], np.uint64),
            self.values[:size].copy(),
        )

    def restore(self, keys, counters, values):
        """Restore the result of :meth:`export`."""
        rows = np.asarray(values, np.float32).reshape(len(keys), self.embedding_dim)
        if self.initial is None:
            self.initialise(self.values)
        for key, counter, row in zip(keys, counters, rows):
            slot = self.slot(int(key))
            self.counters[slot] = int(counter)
            self.values[slot] = row


class Tables:
    """All tables of the process; a handle is a number that names one."""

    def __init__(self):
        self._lock = threading.Lock()
        self._by_handle = {}
        self._handles = {}

    def create(self, table_id, bucket_size, embedding_dim):
        """Return the handle of a new table; an existing identifier keeps its table."""
        with self._lock:
            if table_id not in self._handles:
                handle = max(self._by_handle, default=0) + 1
                self._handles[table_id] = handle
                self._by_handle[handle] = EmbeddingTable(bucket_size, embedding_dim)
            return self._handles[table_id]

    def drop(self, table_id):
        with self._lock:
            self._by_handle.pop(self._handles.pop(table_id, None), None)

    def handle(self, table_id):
        if table_id not in self._handles:
            raise ValueError("there is no embedding table %d" % table_id)
        return self._handles[table_id]

    def get(self, handle):
        if handle not in self._by_handle:
            raise ValueError("there is no embedding table behind the handle %d" % handle)
        return self._by_handle[handle]


class FeatureMap:
    """Consecutive numbers for features that were seen often enough."""

    def __init__(self):
        self._lock = threading.Lock()
        self._seen = {}
        self._offsets = {}

    def map(self, features, threshold):
        """Return the number of each feature, -1 for one seen less than ``threshold`` times."""
        with self._lock:
            flat = [self._one(int(feature), threshold) for feature in np.ravel(features)]
        return np.array(flat, np.int64).reshape(np.shape(features))

    def _one(self, feature, threshold):
        self._seen[feature] = self._seen.get(feature, 0) + 1
        if self._seen[feature] < threshold:
            return -1
        return self._offsets.setdefault(feature, len(self._offsets))

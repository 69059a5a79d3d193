"""A least-recently-used cache of identifiers."""

import collections
import threading

import numpy as np
from ascendify_runtime.framework import tf

from npu_bridge.helper import host


class _Cache:
    """Identifiers and their slots, the least recently used first."""

    def __init__(self, size):
        self._size = size
        self._places = collections.OrderedDict()
        self._lock = threading.Lock()

    def add(self, ids):
        """Add identifiers; return those added and those removed, each with its slot."""
        wanted = list(collections.OrderedDict.fromkeys(int(one) for one in np.ravel(ids)))
        if len(wanted) > self._size:
            raise ValueError(
                "%d different identifiers do not fit into a cache of %d" % (len(wanted), self._size)
            )
        with self._lock:
            for one in wanted:
                if one in self._places:
                    self._places.move_to_end(one)
            entered, left = [], []
            for one in wanted:
                if one in self._places:
                    continue
                place = len(self._places)
                if place == self._size:
                    old, place = self._places.popitem(last=False)
                    left.append((old, place))
                self._places[one] = place
                entered.append((one, place))
        return entered, left

    def places(self, ids):
        missing = [int(one) for one in np.ravel(ids) if int(one) not in self._places]
        if missing:
            raise ValueError("not in the cache: %s" % missing)
        return [self._places[int(one)] for one in np.ravel(ids)]

    def all(self):
        return sorted(self._places, key=self._places.get)


class LruCache(object):
    """A cache of ``cache_size`` identifiers, whose slots are rows of the user's own table."""

    def __init__(self, cache_size=100000, load_factor=1, dtype=tf.uint32):
        self._cache_size = cache_size
        self._load_factor = load_factor
        self._dtype = tf.as_dtype(dtype)
        host.require_type(self, "dtype", ("int64", "int32", "uint64", "uint32"))
        self._cache = _Cache(cache_size)

    @property
    def dtype(self):
        return self._dtype

    def cache_add(self, ids):
        """Return identifiers added, their slots, identifiers removed, their slots."""
        ids = tf.convert_to_tensor(ids)
        kind = ids.dtype.as_numpy_dtype

        def add(values):
            parts = [part for pairs in self._cache.add(values) for part in _columns(pairs)]
            return [np.array(part, kind) for part in parts]

        return host.call("CacheAdd", add, [ids], [ids.dtype] * 4, [[None]] * 4)

    def cache_remote_index_to_local(self, ids):
        """Return the slots of identifiers that are in the cache."""
        ids = tf.convert_to_tensor(ids)
        kind = ids.dtype.as_numpy_dtype

        def places(values):
            return np.array(self._cache.places(values), kind)

        return host.call("CacheRemoteIndexToLocal", places, [ids], [ids.dtype], [[None]])[0]

    def cache_all_index_to_local(self, ids=None):
        """Return all identifiers, by slot."""
        del ids

        def everything():
            return np.array(self._cache.all(), self._dtype.as_numpy_dtype)

        return host.call("CacheAllIndexToLocal", everything, [], [self._dtype], [[None]])[0]


def _columns(pairs):
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]

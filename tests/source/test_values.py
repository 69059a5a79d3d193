"""What expressions are: followed through assignments, calls and files, never guessed."""

from __future__ import annotations

import ast
import copy
import pickle
from typing import Union

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.inference.resolver import Resolver
from ascendify.source.values import UNKNOWN, Function, Partial, Ref
from support.source_questions import answer, in_question, parse, project

Files = Union[str, dict[str, str]]
_SESSION = "import tensorflow as tf\nclass Model(object):\n"

NAMES: dict[str, tuple[Files, str]] = {
    # imports
    "import": ("import tensorflow\nask(tensorflow.Session)\n", "tf.Session"),
    "import as": ("import tensorflow as tf\nask(tf.Session)\n", "tf.Session"),
    "import of a submodule as": (
        "import tensorflow.contrib.slim as slim\nask(slim.conv2d)\n",
        "tf.contrib.slim.conv2d",
    ),
    "import of a submodule": (
        "import tensorflow.contrib\nask(tensorflow.contrib.training.train)\n",
        "tf.contrib.training.train",
    ),
    "import of the compatible module": (
        "import tensorflow.compat.v1 as tf\nask(tf.Session)\n",
        "tf.Session",
    ),
    "from import": ("from tensorflow import Session\nask(Session)\n", "tf.Session"),
    "from import as": ("from tensorflow import Session as S\nask(S)\n", "tf.Session"),
    "from import of a private path": (
        "from tensorflow.python.client import session\nask(session.Session)\n",
        "tf.Session",
    ),
    "import in a function": (
        "def f():\n    import tensorflow as tf\n    ask(tf.Session)\n",
        "tf.Session",
    ),
    "import under try": (
        "try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n"
        "    import tensorflow as tf\nask(tf.Session)\n",
        "tf.Session",
    ),
    "import under try, else nothing": (
        "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\nask(tf.Session)\n",
        "tf.Session",
    ),
    "import under if": (
        "import sys\nif sys.argv:\n    import tensorflow as tf\nelse:\n"
        "    import tensorflow.compat.v1 as tf\nask(tf.Session)\n",
        "tf.Session",
    ),
    "star import of a framework": (
        "from tensorflow import *\nask(Session)\n",
        "tf.Session",
    ),
    "the last star import counts": (
        {
            "main.py": "from a import *\nfrom b import *\nask(S)\n",
            "a.py": "from tensorflow import Graph as S\n",
            "b.py": "from tensorflow import Session as S\n",
        },
        "tf.Session",
    ),
    "star import of a project file": (
        {
            "main.py": "from common import *\nask(tf.Session)\n",
            "common.py": "import tensorflow as tf\n",
        },
        "tf.Session",
    ),
    "star import of a star import": (
        {
            "main.py": "from a import *\nask(tf.Session)\n",
            "a.py": "from b import *\n",
            "b.py": "import tensorflow as tf\n",
        },
        "tf.Session",
    ),
    "star imports in a circle": (
        {
            "main.py": "from a import *\nask(tf.Session)\n",
            "a.py": "from b import *\nimport tensorflow as tf\n",
            "b.py": "from a import *\n",
        },
        "tf.Session",
    ),
    "names imported in a circle": (
        {
            "main.py": "from a import thing\nask(thing)\n",
            "a.py": "from b import thing\n",
            "b.py": "from a import thing\n",
        },
        "unknown",
    ),
    "a relative import": (
        {"main.py": "from .a import tf\nask(tf.Session)\n", "a.py": "import tensorflow as tf\n"},
        "tf.Session",
    ),
    "a name of the package itself, relative": (
        {
            "main.py": "from pkg.user import tf\nask(tf.Session)\n",
            "pkg/__init__.py": "import tensorflow as tf\n",
            "pkg/user.py": "from . import tf\n",
        },
        "tf.Session",
    ),
    "a name of a package wins over its module of that name": (
        {
            "main.py": "from pkg import session\nask(session)\n",
            "pkg/__init__.py": "from pkg.session import session\n",
            "pkg/session.py": "import tensorflow as tf\nsession = tf.Session\n",
        },
        "tf.Session",
    ),
    "a module of a package whose file does not bind it": (
        {
            "main.py": "from pkg import session\nask(session.S)\n",
            "pkg/__init__.py": "",
            "pkg/session.py": "import tensorflow as tf\nS = tf.Session\n",
        },
        "tf.Session",
    ),
    "a package that imports its own module": (
        {
            "main.py": "import pkg\nask(pkg.session.S)\n",
            "pkg/__init__.py": "from . import session\n",
            "pkg/session.py": "import tensorflow as tf\nS = tf.Session\n",
        },
        "tf.Session",
    ),
    "a script named like its package": (
        {
            "main.py": "from tools.tools import S\nask(S)\n",
            "tools/tools.py": "from tools import other\nS = other.S\n",
            "tools/other.py": "from tensorflow import Session as S\n",
        },
        "tf.Session",
    ),
    # aliases
    "alias of a module": (
        "import tensorflow as tf\nlayers = tf.layers\nask(layers.dense)\n",
        "tf.layers.dense",
    ),
    "alias of a class": (
        "import tensorflow as tf\nS = tf.Session\nask(S)\n",
        "tf.Session",
    ),
    "one of two classes": (
        "import tensorflow as tf\n"
        "O = tf.train.AdamOptimizer if big else tf.train.FtrlOptimizer\nask(O)\n",
        "tf.train.AdamOptimizer | tf.train.FtrlOptimizer",
    ),
    "getattr with a literal": (
        "import tensorflow as tf\nask(getattr(tf, 'Session'))\n",
        "tf.Session",
    ),
    "getattr with a default": (
        "import tensorflow as tf\nask(getattr(tf, 'Session', None))\n",
        "tf.Session",
    ),
    "a walrus": (
        "import tensorflow as tf\nif (s := tf.Session):\n    ask(s)\n",
        "tf.Session",
    ),
    # methods
    "method of an instance": (
        "import tensorflow as tf\nds = tf.data.Dataset.range(3)\nask(ds.batch)\n",
        "tf.data.Dataset.batch",
    ),
    "method of a method's result": (
        "import tensorflow as tf\nask(tf.data.Dataset.range(3).repeat().batch)\n",
        "tf.data.Dataset.batch",
    ),
    "inherited method": (
        "import tensorflow as tf\nask(tf.train.AdamOptimizer(1).minimize)\n",
        "tf.train.Optimizer.minimize",
    ),
    "method inherited by a class of the project": (
        "import tensorflow as tf\nclass T(tf.test.TestCase):\n    def f(self):\n"
        "        ask(self.session)\n",
        "tf.test.TestCase.session",
    ),
    "method inherited behind a mixin of another library": (
        "import tensorflow as tf\nfrom absl.testing import parameterized\n"
        "class T(parameterized.TestCase, tf.test.TestCase):\n    def f(self):\n"
        "        ask(self.session)\n",
        "tf.test.TestCase.session",
    ),
    "super() of a framework class": (
        "import tensorflow as tf\nclass O(tf.train.AdamOptimizer):\n    def f(self):\n"
        "        ask(super().minimize)\n",
        "tf.train.Optimizer.minimize",
    ),
    "super with arguments": (
        "import tensorflow as tf\nclass O(tf.train.AdamOptimizer):\n    def f(self):\n"
        "        ask(super(O, self).minimize)\n",
        "tf.train.Optimizer.minimize",
    ),
}


@pytest.mark.parametrize(("files", "expected"), NAMES.values(), ids=NAMES)
def test_names(files: Files, expected: str) -> None:
    assert answer(files) == expected


KINDS: dict[str, tuple[Files, str]] = {
    # assignments
    "assignment": ("import tensorflow as tf\ns = tf.Session()\nask(s)\n", "tf.Session()"),
    "chain of assignments": (
        "import tensorflow as tf\na = b = tf.Session()\nc = a\nask(c)\n",
        "tf.Session()",
    ),
    "annotated assignment": (
        "import tensorflow as tf\ns: tf.Session = tf.Session()\nask(s)\n",
        "tf.Session()",
    ),
    "tuple unpacking": (
        "import tensorflow as tf\ng, s = tf.Graph(), tf.Session()\nask(s)\n",
        "tf.Session()",
    ),
    "nested unpacking": (
        "import tensorflow as tf\n(a, (g, s)) = 1, (tf.Graph(), tf.Session())\nask(s)\n",
        "tf.Session()",
    ),
    "swap": (
        "import tensorflow as tf\na, b = tf.Graph(), tf.Session()\nx, y = b, a\nask(x)\n",
        "tf.Session()",
    ),
    "before a starred target": (
        "import tensorflow as tf\ns, *rest = tf.Session(), 1, 2\nask(s)\n",
        "tf.Session()",
    ),
    "reassigned": (
        "import tensorflow as tf\nx = tf.Graph()\nx = tf.Session()\nask(x)\n",
        "tf.Session()",
    ),
    "reassigned from itself": (
        "import tensorflow as tf\nd = tf.data.Dataset.range(3)\nd = d.repeat()\n"
        "d = d.batch(2)\nask(d)\n",
        "tf.data.Dataset()",
    ),
    "twenty times from itself": (
        "import tensorflow as tf\nd = tf.data.Dataset.range(3)\n"
        + "d = d.repeat()\n" * 20
        + "ask(d)\n",
        "tf.data.Dataset()",
    ),
    "a long chain of calls": (
        "import tensorflow as tf\nask(tf.data.Dataset.range(3)" + ".repeat()" * 25 + ")\n",
        "tf.data.Dataset()",
    ),
    "in a loop from itself": (
        "import tensorflow as tf\nd = tf.data.Dataset.range(3)\nfor _ in range(3):\n"
        "    d = d.repeat()\nask(d)\n",
        "tf.data.Dataset()",
    ),
    "both branches": (
        "import tensorflow as tf\nif a:\n    s = tf.Session()\nelse:\n"
        "    s = tf.InteractiveSession()\n"
        "ask(s)\n",
        "tf.Session() | tf.InteractiveSession()",
    ),
    "None until it is made": (
        "import tensorflow as tf\ns = None\nif a:\n    s = tf.Session()\nask(s)\n",
        "tf.Session()",
    ),
    "conditional expression": (
        "import tensorflow as tf\nask(tf.Session() if a else None)\n",
        "tf.Session()",
    ),
    "or": ("import tensorflow as tf\ns = None\nask(s or tf.Session())\n", "tf.Session()"),
    "item of a tuple": (
        "import tensorflow as tf\np = (1, tf.Session())\nask(p[1])\n",
        "tf.Session()",
    ),
    "item from the end": (
        "import tensorflow as tf\np = (1, tf.Session())\nask(p[-1])\n",
        "tf.Session()",
    ),
    "loop over a display": (
        "import tensorflow as tf\nfor s in [tf.Session(), tf.Session()]:\n    ask(s)\n",
        "tf.Session()",
    ),
    "loop over pairs": (
        "import tensorflow as tf\nfor n, s in ((1, tf.Session()), (2, tf.Session())):\n"
        "    ask(s)\n",
        "tf.Session()",
    ),
    "comprehension over a display": (
        "import tensorflow as tf\n[ask(s) for s in (tf.Session(),)]\n",
        "tf.Session()",
    ),
    "comprehension sees the last assignment": (
        "import tensorflow as tf\nx = tf.Graph()\nx = tf.Session()\n[ask(x) for _ in range(3)]\n",
        "tf.Session()",
    ),
    # with
    "with as": (
        "import tensorflow as tf\nwith tf.Session() as s:\n    ask(s)\n",
        "tf.Session()",
    ),
    "with, a monitored session": (
        "import tensorflow as tf\nwith tf.train.MonitoredTrainingSession() as s:\n    ask(s)\n",
        "tf.train.MonitoredSession()",
    ),
    "with, two items": (
        "import tensorflow as tf\n"
        "with tf.Graph().as_default() as g, tf.Session(graph=g) as s:\n    ask(g)\n",
        "tf.Graph()",
    ),
    "with, an item that uses the one before": (
        "import tensorflow as tf\nwith open('f') as x, x as y:\n    pass\n"
        "with tf.Session() as x, ask(x) as y:\n    pass\n",
        "tf.Session()",
    ),
    "with, a context manager of the project": (
        "import tensorflow as tf\nclass M:\n    def __enter__(self):\n        return tf.Session()\n"
        "with M() as s:\n    ask(s)\n",
        "tf.Session()",
    ),
    "with, one that gives itself": (
        "import tensorflow as tf\nclass M:\n    def __init__(self):\n"
        "        self.s = tf.Session()\n"
        "    def __enter__(self):\n        return self\nwith M() as m:\n    ask(m.s)\n",
        "tf.Session()",
    ),
    "with as an attribute": (
        _SESSION
        + "    def f(self):\n        with tf.Session() as self.s:\n            ask(self.s)\n",
        "tf.Session()",
    ),
    # attributes
    "self attribute set in another method": (
        _SESSION + "    def __init__(self):\n        self.s = tf.Session()\n"
        "    def f(self):\n        ask(self.s)\n",
        "tf.Session()",
    ),
    "self attribute set in a later method": (
        _SESSION + "    def f(self):\n        ask(self.s)\n    def g(self):\n"
        "        self.s = tf.Session()\n",
        "tf.Session()",
    ),
    "self attribute, None at first": (
        _SESSION + "    s = None\n    def __init__(self):\n        self.s = None\n"
        "    def g(self):\n        self.s = tf.Session()\n    def f(self):\n        ask(self.s)\n",
        "tf.Session()",
    ),
    "self under another name": (
        _SESSION + "    def __init__(this):\n        this.s = tf.Session()\n"
        "    def f(me):\n        ask(me.s)\n",
        "tf.Session()",
    ),
    "self attribute set in a nested function": (
        _SESSION + "    def g(self):\n        def inner():\n            self.s = tf.Session()\n"
        "    def f(self):\n        ask(self.s)\n",
        "tf.Session()",
    ),
    "self attribute by unpacking": (
        _SESSION + "    def __init__(self):\n        self.g, self.s = tf.Graph(), tf.Session()\n"
        "    def f(self):\n        ask(self.s)\n",
        "tf.Session()",
    ),
    "attribute of an object": (
        _SESSION
        + "    def __init__(self):\n        self.s = tf.Session()\nm = Model()\nask(m.s)\n",
        "tf.Session()",
    ),
    "class attribute through self": (
        _SESSION + "    s = tf.Session()\n    def f(self):\n        ask(self.s)\n",
        "tf.Session()",
    ),
    "class attribute through the class": (
        _SESSION + "    s = tf.Session()\nask(Model.s)\n",
        "tf.Session()",
    ),
    "property": (
        _SESSION + "    @property\n    def s(self):\n        return tf.Session()\n"
        "    def f(self):\n        ask(self.s)\n",
        "tf.Session()",
    ),
    "property with a setter": (
        _SESSION + "    @property\n    def s(self):\n        return tf.Session()\n"
        "    @s.setter\n    def s(self, value):\n        pass\n    def f(self):\n"
        "        ask(self.s)\n",
        "tf.Session()",
    ),
    "cached property": (
        "import functools\n" + _SESSION + "    @functools.cached_property\n    def s(self):\n"
        "        return tf.Session()\n    def f(self):\n        ask(self.s)\n",
        "tf.Session()",
    ),
    "attribute of the base class in another file": (
        {
            "main.py": "from base import Base\nclass M(Base):\n    def f(self):\n"
            "        ask(self.s)\n",
            "base.py": "import tensorflow as tf\nclass Base:\n    def __init__(self):\n"
            "        self.s = tf.Session()\n",
        },
        "tf.Session()",
    ),
    "attribute of a base two files away": (
        {
            "main.py": "import middle\nclass M(middle.Middle):\n    def f(self):\n"
            "        ask(self.s)\n",
            "middle.py": "from pkg.base import Base as B\nclass Middle(B):\n    pass\n",
            "pkg/base.py": "import tensorflow as tf\nclass Base:\n    s = tf.Session()\n",
        },
        "tf.Session()",
    ),
    "data attribute of a framework class": (
        "import tensorflow as tf\nask(tf.Session().graph)\n",
        "tf.Graph()",
    ),
    "an object of a class derived from a framework class": (
        "import tensorflow as tf\nclass T(tf.train.AdamOptimizer):\n    pass\nask(T())\n",
        "tf.train.AdamOptimizer()",
    ),
    # calls
    "function of the file": (
        "import tensorflow as tf\ndef f():\n    return tf.Session()\nask(f())\n",
        "tf.Session()",
    ),
    "function defined below": (
        "import tensorflow as tf\ndef g():\n    ask(f())\ndef f():\n    return tf.Session()\n",
        "tf.Session()",
    ),
    "function of another file": (
        {
            "main.py": "from util import make\nask(make())\n",
            "util.py": "import tensorflow as tf\ndef make():\n    s = tf.Session()\n    return s\n",
        },
        "tf.Session()",
    ),
    "function through a re-exporting package": (
        {
            "main.py": "import pkg\nask(pkg.make())\n",
            "pkg/__init__.py": "from .util import make\n",
            "pkg/util.py": "import tensorflow as tf\ndef make():\n    return tf.Session()\n",
        },
        "tf.Session()",
    ),
    "function that returns a pair": (
        "import tensorflow as tf\ndef f():\n    return tf.Graph(), tf.Session()\n"
        "g, s = f()\nask(s)\n",
        "tf.Session()",
    ),
    "function that returns what it is given": (
        "import tensorflow as tf\ndef f(x):\n    return x\nask(f(tf.Session()))\n",
        "tf.Session()",
    ),
    "method": (
        _SESSION + "    def make(self):\n        return tf.Session()\n    def f(self):\n"
        "        ask(self.make())\n",
        "tf.Session()",
    ),
    "static method": (
        _SESSION
        + "    @staticmethod\n    def make():\n        return tf.Session()\nask(Model.make())\n",
        "tf.Session()",
    ),
    "class method that makes the class": (
        _SESSION
        + "    s = tf.Session()\n    @classmethod\n    def make(cls):\n        return cls()\n"
        "ask(Model.make().s)\n",
        "tf.Session()",
    ),
    "__new__ gets the class": (
        _SESSION + "    s = tf.Session()\n    def __new__(cls):\n        ask(cls.s)\n",
        "tf.Session()",
    ),
    "lambda": (
        "import tensorflow as tf\nmake = lambda: tf.Session()\nask(make())\n",
        "tf.Session()",
    ),
    "partial": (
        "import functools\nimport tensorflow as tf\n"
        "make = functools.partial(tf.Session, config=c)\n"
        "ask(make())\n",
        "tf.Session()",
    ),
    "partial of a function of the project": (
        "from functools import partial\nimport tensorflow as tf\ndef f(a, b):\n"
        "    return tf.Session()\n"
        "make = partial(f, 1)\nask(make(2))\n",
        "tf.Session()",
    ),
    "object that is called": (
        _SESSION + "    def __call__(self):\n        return tf.Session()\nm = Model()\nask(m())\n",
        "tf.Session()",
    ),
    "recursive function": (
        "import tensorflow as tf\ndef f(n):\n    if n:\n        return f(n - 1)\n"
        "    return tf.Session()\n"
        "ask(f(3))\n",
        "tf.Session()",
    ),
    "functions that call each other": (
        "import tensorflow as tf\ndef f(n):\n    return g(n) if n else tf.Session()\n"
        "def g(n):\n    return f(n)\nask(g(3))\n",
        "tf.Session()",
    ),
    "a decorated function": (
        "import tensorflow as tf\nimport functools\n@functools.lru_cache()\ndef f():\n"
        "    return tf.Session()\nask(f())\n",
        "tf.Session()",
    ),
    # parameters
    "parameter from a call in the file": (
        "import tensorflow as tf\ndef f(s):\n    ask(s)\nf(tf.Session())\n",
        "tf.Session()",
    ),
    "parameter by keyword": (
        "import tensorflow as tf\ndef f(a, s):\n    ask(s)\nf(s=tf.Session(), a=1)\n",
        "tf.Session()",
    ),
    "keyword-only parameter": (
        "import tensorflow as tf\ndef f(*, s):\n    ask(s)\nf(s=tf.Session())\n",
        "tf.Session()",
    ),
    "parameter from a call in another file": (
        {
            "main.py": "def f(s):\n    ask(s)\n",
            "train.py": "import tensorflow as tf\nimport main\nmain.f(tf.Session())\n",
        },
        "tf.Session()",
    ),
    "parameter, function imported under another name": (
        {
            "main.py": "def f(s):\n    ask(s)\n",
            "train.py": "import tensorflow as tf\nfrom main import f as g\ng(tf.Session())\n",
        },
        "tf.Session()",
    ),
    "parameter from a call through a re-exporting package": (
        {
            "main.py": "def f(s):\n    ask(s)\n",
            "pkg/__init__.py": "from main import f\n",
            "train.py": "import tensorflow as tf\nimport pkg\npkg.f(tf.Session())\n",
        },
        "tf.Session()",
    ),
    "parameters from two calls": (
        "import tensorflow as tf\ndef f(s):\n    ask(s)\nf(tf.Session())\n"
        "f(tf.InteractiveSession())\n",
        "tf.Session() | tf.InteractiveSession()",
    ),
    "parameter, None by default": (
        "import tensorflow as tf\ndef f(s=None):\n    ask(s)\nf(tf.Session())\nf()\n",
        "tf.Session()",
    ),
    "parameter of a method": (
        _SESSION + "    def f(self, s):\n        ask(s)\nModel().f(tf.Session())\n",
        "tf.Session()",
    ),
    "parameter of a method called on its class": (
        _SESSION + "    def f(self, s):\n        ask(s)\nModel.f(Model(), tf.Session())\n",
        "tf.Session()",
    ),
    "parameter of a static method": (
        _SESSION + "    @staticmethod\n    def f(s):\n        ask(s)\nModel.f(tf.Session())\n",
        "tf.Session()",
    ),
    "parameter of a class method called on the class": (
        _SESSION + "    @classmethod\n    def f(cls, s):\n        ask(s)\nModel.f(tf.Session())\n",
        "tf.Session()",
    ),
    "parameter of the constructor": (
        _SESSION + "    def __init__(self, s):\n        ask(s)\nModel(tf.Session())\n",
        "tf.Session()",
    ),
    "parameter of the constructor, through super": (
        _SESSION + "    def __init__(self, s):\n        ask(s)\n"
        "class Other(Model):\n    def __init__(self):\n        super().__init__(tf.Session())\n",
        "tf.Session()",
    ),
    "parameter of the constructor, through the base's name": (
        _SESSION + "    def __init__(self, s):\n        ask(s)\n"
        "class Other(Model):\n    def __init__(self):\n"
        "        Model.__init__(self, tf.Session())\n",
        "tf.Session()",
    ),
    "parameter of the constructor, through a subclass": (
        _SESSION + "    def __init__(self, s):\n        ask(s)\n"
        "class Other(Model):\n    pass\nOther(tf.Session())\n",
        "tf.Session()",
    ),
    "parameter of the constructor, kept as an attribute": (
        {
            "main.py": "class M:\n    def __init__(self, s):\n        self.s = s\n"
            "    def f(self):\n        ask(self.s)\n",
            "train.py": "import tensorflow as tf\nfrom main import M\nM(tf.Session())\n",
        },
        "tf.Session()",
    ),
    # scopes
    "closure": (
        "import tensorflow as tf\ndef f():\n    s = tf.Session()\n    def g():\n        ask(s)\n",
        "tf.Session()",
    ),
    "closure of a lambda": (
        "import tensorflow as tf\ndef f():\n    s = tf.Session()\n    return lambda: ask(s)\n",
        "tf.Session()",
    ),
    "global": (
        "import tensorflow as tf\ns = None\ndef setup():\n    global s\n    s = tf.Session()\n"
        "def f():\n    ask(s)\n",
        "tf.Session()",
    ),
    "nonlocal": (
        "import tensorflow as tf\ndef f():\n    s = None\n    def g():\n        nonlocal s\n"
        "        s = tf.Session()\n    def h():\n        ask(s)\n",
        "tf.Session()",
    ),
    "module attribute": (
        {
            "main.py": "import state\nask(state.session)\n",
            "state.py": "import tensorflow as tf\nsession = tf.Session()\n",
        },
        "tf.Session()",
    ),
    "default argument sees the scope around": (
        "import tensorflow as tf\ns = tf.Session()\ndef f(s=ask(s)):\n    pass\n",
        "tf.Session()",
    ),
}


@pytest.mark.parametrize(("files", "expected"), KINDS.values(), ids=KINDS)
def test_kinds(files: Files, expected: str) -> None:
    assert answer(files) == expected


LITERALS: dict[str, tuple[Files, str]] = {
    "number": ("ask(8)\n", "= 8"),
    "variable": ("n = 8\nask(n)\n", "= 8"),
    "either": ("n = 8 if a else 16\nask(n)\n", "= 8 | 16"),
    "constant of another file": (
        {"main.py": "from config import SIZE\nask(SIZE)\n", "config.py": "SIZE = 'x'\n"},
        "= 'x'",
    ),
    "class attribute": ("class C:\n    n = 8\nask(C.n)\n", "= 8"),
    "function without a return": ("def f():\n    pass\nask(f())\n", "= None"),
    # not literals, although one value is in sight
    "a counter": ("n = 0\nn += 1\nask(n)\n", "unknown"),
    "a parameter nobody else gives": ("def f(n=8):\n    ask(n)\nf()\n", "unknown"),
    "a parameter always given the same": ("def f(n):\n    ask(n)\nf(8)\nf(8)\n", "unknown"),
    "an attribute, which anybody may set": (
        "class C:\n    def __init__(self):\n        self.n = None\n    def f(self):\n"
        "        ask(self.n)\n",
        "unknown",
    ),
    "an attribute that counts": (
        "class C:\n    def __init__(self):\n        self.n = 0\n    def g(self):\n"
        "        self.n += 1\n"
        "    def f(self):\n        ask(self.n)\n",
        "unknown",
    ),
    "a method that subclasses write": (
        "class C:\n    def make(self):\n        raise NotImplementedError\n    def f(self):\n"
        "        ask(self.make())\n",
        "unknown",
    ),
    "an abstract method": (
        "import abc\nclass C:\n    @abc.abstractmethod\n    def make(self):\n        pass\n"
        "    def f(self):\n        ask(self.make())\n",
        "unknown",
    ),
}


@pytest.mark.parametrize(("files", "expected"), LITERALS.values(), ids=LITERALS)
def test_literals(files: Files, expected: str) -> None:
    assert answer(files) == expected


UNRESOLVED: dict[str, tuple[Files, str]] = {
    # shadowing
    "a parameter named like the module": (
        "import tensorflow as tf\ndef f(tf):\n    ask(tf.Session)\n",
        "unknown",
    ),
    "a local named like the module": (
        "import tensorflow as tf\ndef f():\n    tf = load()\n    ask(tf.Session)\n",
        "unknown",
    ),
    "a local bound only below": (
        "import tensorflow as tf\ndef f():\n    ask(tf.Session)\n    tf = load()\n",
        "unknown",
    ),
    "a loop variable named like the module": (
        "import tensorflow as tf\nfor tf in frames:\n    ask(tf.Session)\n",
        "unknown",
    ),
    "a comprehension variable named like the module": (
        "import tensorflow as tf\n[ask(tf.Session) for tf in frames]\n",
        "unknown",
    ),
    "an exception named like the module": (
        "import tensorflow as tf\ntry:\n    pass\nexcept ValueError as tf:\n    ask(tf.Session)\n",
        "unknown",
    ),
    "a lambda parameter named like the module": (
        "import tensorflow as tf\nlambda tf: ask(tf.Session)\n",
        "unknown",
    ),
    "a class of the project named like the framework's": (
        "class Session:\n    pass\nask(Session)\n",
        "unknown",
    ),
    "a function named like the module": (
        "import tensorflow as tf\ndef tf():\n    pass\nask(tf.Session)\n",
        "unknown",
    ),
    "a pattern named like the module": (
        "import tensorflow as tf\nwith open(p) as tf:\n    ask(tf.Session)\n",
        "unknown",
    ),
    "a class body is not seen by its methods": (
        "class C:\n    import tensorflow as tf\n    def f(self):\n        ask(tf.Session)\n",
        "unknown",
    ),
    "a class body is not seen by its comprehensions": (
        "class C:\n    import tensorflow as tf\n    x = [ask(tf.Session) for _ in range(3)]\n",
        "unknown",
    ),
    "deleted and never bound again elsewhere": ("del tf\nask(tf.Session)\n", "unknown"),
    # other modules
    "a module of the project named like an alias": (
        {"main.py": "import tf\nask(tf.Session)\n", "tf.py": "Session = object()\n"},
        "unknown",
    ),
    "another library": ("import tensorlayer as tf\nask(tf.Session)\n", "tensorlayer.Session"),
    "a relative module that is not there": (
        "from .tensorflow import Session\nask(Session)\n",
        "unknown",
    ),
    "a relative name that is not there": (
        "from . import tensorflow as tf\nask(tf.Session)\n",
        "unknown",
    ),
    "a relative star import that is not there": ("from .names import *\nask(Session)\n", "unknown"),
    "a name that nobody binds": ("ask(Session)\n", "unknown"),
    "a private name behind a star": (
        {"main.py": "from a import *\nask(_tf.Session)\n", "a.py": "import tensorflow as _tf\n"},
        "unknown",
    ),
    "a star of a module that rebinds it": (
        {"main.py": "from a import *\nask(tf.Session)\n", "a.py": "tf = object()\n"},
        "unknown",
    ),
    "a name of a package that is not its module": (
        {
            "main.py": "from pkg import session\nask(session.S)\n",
            "pkg/__init__.py": "session = make()\n",
            "pkg/session.py": "import tensorflow as tf\nS = tf.Session\n",
        },
        "unknown",
    ),
    # values
    "receiver of unknown type": ("ask(x.batch)\n", "unknown"),
    "parameter of a function nobody calls": ("def f(ds):\n    ask(ds.batch)\n", "unknown"),
    "parameter that *args may give": (
        "import tensorflow as tf\ndef f(a=1, s=tf.Session()):\n    ask(s)\nf(*args)\n",
        "unknown",
    ),
    "parameter that **kwargs may give": (
        "import tensorflow as tf\ndef f(s=tf.Session()):\n    ask(s)\nf(**kwargs)\n",
        "unknown",
    ),
    "collecting parameters": ("def f(*args, **kwargs):\n    ask(args.x)\nf(1)\n", "unknown"),
    "augmented": (
        "import tensorflow as tf\nd = tf.data.Dataset.range(3)\nd += x\nask(d)\n",
        "unknown",
    ),
    "augmented attribute": (
        _SESSION + "    def __init__(self):\n        self.s = 1\n        self.s += x\n"
        "    def f(self):\n        ask(self.s)\n",
        "unknown",
    ),
    "starred target": ("import tensorflow as tf\n*a, s = tf.Session(), 1\nask(a)\n", "unknown"),
    "after a starred target": (
        "import tensorflow as tf\na, *b, s = 1, 2, 3, tf.Session()\nask(s)\n",
        "unknown",
    ),
    "a starred attribute": (
        _SESSION + "    def f(self):\n        a, *self.s = 1, tf.Session()\n        ask(self.s)\n",
        "unknown",
    ),
    "item of a dictionary": (
        "import tensorflow as tf\nd = {'s': tf.Session()}\nask(d['s'])\n",
        "unknown",
    ),
    "item by a variable": ("import tensorflow as tf\nask((tf.Session(),)[i])\n", "unknown"),
    "item beyond the end": ("import tensorflow as tf\nask((tf.Session(),)[3])\n", "unknown"),
    "what a generator function gives": (
        "import tensorflow as tf\ndef f():\n    yield tf.Session()\nask(f())\n",
        "unknown",
    ),
    "what a coroutine gives": (
        "import tensorflow as tf\nasync def f():\n    return tf.Session()\nask(f())\n",
        "unknown",
    ),
    "getattr with a variable": ("import tensorflow as tf\nask(getattr(tf, name))\n", "unknown"),
    "an evaluated string": ("ask(eval('tf.Session'))\n", "unknown"),
    "with, a thing that cannot be entered": (
        "import tensorflow as tf\nwith tf.train.AdamOptimizer() as o:\n    ask(o)\n",
        "unknown",
    ),
    "with, a context manager of the project that gives something else": (
        "import tensorflow as tf\nclass M(tf.Session):\n    def __enter__(self):\n"
        "        return load()\n"
        "with M() as s:\n    ask(s)\n",
        "unknown",
    ),
    "subscript of a module": ("import tensorflow as tf\nask(tf['Session'])\n", "unknown"),
    "comparison": ("import tensorflow as tf\nask(tf.Session() == 1)\n", "unknown"),
    "a method nobody declares": (
        "class C:\n    pass\nask(C().session)\n",
        "unknown",
    ),
}


@pytest.mark.parametrize(("files", "expected"), UNRESOLVED.values(), ids=UNRESOLVED)
def test_nothing_is_guessed(files: Files, expected: str) -> None:
    assert answer(files) == expected


UNCERTAIN: dict[str, tuple[Files, str]] = {
    "one branch is unknown": (
        "import tensorflow as tf\nif a:\n    s = tf.Session()\nelse:\n    s = load()\nask(s)\n",
        "tf.Session() ?",
    ),
    "one branch only, unknown before": (
        "import tensorflow as tf\ns = load()\nif a:\n    s = tf.Session()\nask(s)\n",
        "tf.Session() ?",
    ),
    "a loop brings something else": (
        "import tensorflow as tf\ns = tf.Session()\nfor x in y:\n    ask(s)\n    s = load()\n",
        "tf.Session() ?",
    ),
    "a loop that may not run": (
        "import tensorflow as tf\ns = load()\nfor s in (tf.Session(),):\n    pass\nask(s)\n",
        "tf.Session() ?",
    ),
    "the module or something else": (
        "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = load()\n"
        "ask(tf.Session)\n",
        "tf.Session ?",
    ),
    "rebound by another function": (
        "import tensorflow as tf\ns = tf.Session()\ndef f():\n    global s\n    s = load()\n"
        "def g():\n    ask(s)\n",
        "tf.Session() ?",
    ),
    "an attribute set twice": (
        _SESSION + "    def __init__(self):\n        self.s = tf.Session()\n    def f(self):\n"
        "        self.s = load()\n        ask(self.s)\n",
        "tf.Session() ?",
    ),
    "one caller is unknown": (
        "import tensorflow as tf\ndef f(s):\n    ask(s)\nf(tf.Session())\nf(load())\n",
        "tf.Session() ?",
    ),
    "one caller passes *args": (
        "import tensorflow as tf\ndef f(s):\n    ask(s)\nf(tf.Session())\nf(*args)\n",
        "tf.Session() ?",
    ),
    "a default, and nobody who calls": (
        "import tensorflow as tf\ndef f(s=tf.Session()):\n    ask(s)\n",
        "tf.Session() ?",
    ),
    "more callers than are looked at": (
        "import tensorflow as tf\ndef f(s):\n    ask(s)\n"
        + "f(tf.Session())\n" * 60
        + "f(load())\n",
        "tf.Session() ?",
    ),
    "one return is unknown": (
        "import tensorflow as tf\ndef f(a):\n    if a:\n        return load()\n"
        "    return tf.Session()\nask(f(1))\n",
        "tf.Session() ?",
    ),
    "a list that may have grown": (
        "import tensorflow as tf\nall = [tf.Session()]\nall.append(x)\nfor s in all:\n    ask(s)\n",
        "tf.Session() ?",
    ),
    "getattr with another default": (
        "import tensorflow as tf\nask(getattr(tf, 'Session', other))\n",
        "tf.Session ?",
    ),
    "a partial call hides arguments": (
        "import functools\nimport tensorflow as tf\n"
        "make = functools.partial(tf.Session, config=c)\n"
        "ask(make)\n",
        "tf.Session ?",
    ),
    "an or of something unknown": (
        "import tensorflow as tf\nask(given or tf.Session())\n",
        "tf.Session() ?",
    ),
    "a generator expression may run later": (
        "import tensorflow as tf\ns = tf.Session()\nlater = (ask(s) for _ in range(3))\n"
        "s = load()\n",
        "tf.Session() ?",
    ),
}


@pytest.mark.parametrize(("files", "expected"), UNCERTAIN.values(), ids=UNCERTAIN)
def test_doubt_is_kept(files: Files, expected: str) -> None:
    assert answer(files) == expected


def test_partial_without_arguments_is_the_thing_itself() -> None:
    text = "import functools\nimport tensorflow as tf\nask(functools.partial(tf.Session))\n"
    assert answer(text) == "tf.Session"


def test_partial_knows_what_it_calls() -> None:
    whole = project(
        "import functools\nimport tensorflow as tf\nask(functools.partial(tf.Session, c))\n"
    )
    module = whole.module("main.py")
    assert module is not None
    found = Resolver(whole, CatalogKnowledge()).infer(module, in_question(module))
    assert found == (Partial(Ref("tf.Session")),)


def test_callers_tell_how_many_parameters_are_bound() -> None:
    whole = project(
        "class C:\n    def m(self, a): pass\n    @classmethod\n    def c(cls, a): pass\n"
        "    @staticmethod\n    def s(a): pass\n"
        "C().m(1)\nC.m(C(), 1)\nC.c(1)\nC().c(1)\nC.s(1)\nC().s(1)\n"
    )
    module = whole.module("main.py")
    assert module is not None
    resolver = Resolver(whole, CatalogKnowledge())
    methods = [node for node in module.index.functions if isinstance(node, ast.FunctionDef)]
    bound = {
        method.name: [number for _, _, number in resolver.callers(Function(module, method))]
        for method in methods
    }
    assert bound == {"m": [1, 0], "c": [1, 1], "s": [0, 0]}


def test_an_answer_does_not_depend_on_what_was_asked_before() -> None:
    text = (
        "import tensorflow as tf\ndef f(n):\n    return g(n) if n else tf.Session()\n"
        "def g(n):\n    return f(n)\na = f(1)\nb = g(1)\nask(a)\n"
    )
    whole = project(text)
    module = whole.module("main.py")
    assert module is not None
    calls = [call for call in module.index.calls if getattr(call.func, "id", "") in "fg"]
    for order in (calls, calls[::-1]):
        resolver = Resolver(whole, CatalogKnowledge())
        kinds = {ast.dump(call): resolver.kinds(module, call) for call in order}
        assert set(kinds.values()) == {(("tf.Session",), True)}


@pytest.mark.parametrize("length", [120, 1000])
def test_long_chains_of_calls_are_answered_from_inside(length: int) -> None:
    chain = "tf.data.Dataset.range(3)" + ".repeat()" * length
    whole = project(f"import tensorflow as tf\nask({chain})\n")
    module = whole.module("main.py")
    assert module is not None
    kinds, certain = Resolver(whole, CatalogKnowledge()).kinds(module, in_question(module))
    assert kinds == ("tf.data.Dataset",)
    assert certain


def test_very_deep_expressions_are_answered_with_doubt_not_with_a_crash() -> None:
    text = "import tensorflow as tf\nask(" + "not " * 120 + "tf.ones(3))\n"
    whole = project(text)
    module = whole.module("main.py")
    assert module is not None
    assert Resolver(whole, CatalogKnowledge()).kinds(module, in_question(module))[1] is False


def test_a_replaced_file_is_asked_anew() -> None:
    files = {
        "main.py": "from a import make\nask(make)\n",
        "a.py": "def make():\n    return 1\n",
    }
    whole = project(files)
    resolver = Resolver(whole, CatalogKnowledge())
    main = whole.module("main.py")
    assert main is not None
    assert resolver.infer(main, in_question(main))
    new = parse("def make():\n    return 2\n", "a.py")
    whole.put(new)
    resolver.forget("a.py")
    (found,) = resolver.infer(main, in_question(main))
    assert isinstance(found, Function)
    assert found.module is new


def test_unknown_is_one_object() -> None:
    assert copy.deepcopy((UNKNOWN, 1))[0] is UNKNOWN
    assert pickle.loads(pickle.dumps(UNKNOWN)) is UNKNOWN

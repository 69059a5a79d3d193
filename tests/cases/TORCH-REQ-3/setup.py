#### the lists of a setup script
from setuptools import setup
setup(name='it', install_requires=['transformers==4.28.1', 'vllm', 'numpy'])
#### findings
2 manual
2 manual
#### releases that know NPUs
from setuptools import setup
setup(name='it', install_requires=['transformers>=4.40'])

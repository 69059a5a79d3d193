#### a list of packages
import torch
setup(install_requires=["torch==2.1.2", "tqdm"])
#### after
import torch
setup(install_requires=["torch==2.1.0", "torch-npu==2.1.0.post17", "tqdm"])
#### findings
2 auto-check
#### a variable
REQUIRED_PACKAGES = [
    'torch>=2.5.1',
    'torchvision>=0.20.1',
]
setup(install_requires=REQUIRED_PACKAGES)
#### after
REQUIRED_PACKAGES = [
    'torch>=2.5.1', 'torch-npu',
    'torchvision>=0.20.1',
]
setup(install_requires=REQUIRED_PACKAGES)
#### words that are no packages
keywords = ["torch", "training"]
setup(name="torch", keywords=keywords, classifiers=["torch"])
#### the release the project is migrated for
setup(install_requires=["torch==2.7.1"])
#### with torch_npu=2.7.1.post2
#### after
setup(install_requires=["torch==2.7.1", "torch-npu==2.7.1.post2"])

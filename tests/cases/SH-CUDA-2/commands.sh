#### packages of the system
sudo apt-get install -y build-essential cuda-toolkit-11-8 libcudnn8=8.6.0.163-1+cuda11.8
yum install -y libnccl
wget https://developer.download.nvidia.com/compute/cuda/repos/cuda-keyring_1.0-1_all.deb
dpkg -i cuda-keyring_1.0-1_all.deb
sh cuda_11.8.0_520.61.05_linux.run --silent
#### findings
1 manual
2 manual
3 manual
4 manual
5 manual
#### other packages, other places
apt-get install -y python3 libnuma-dev
wget https://example.org/cuda/data.tar
git clone https://github.com/NVIDIA/apex
pip install nvidia-cublas-cu12
echo apt-get install cuda
#### in a Dockerfile
FROM ubuntu
RUN apt-get update && \
    apt-get install -y cuda-minimal-build-12-1 \
    git
#### with name=Dockerfile
#### findings
3 manual

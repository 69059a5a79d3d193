#### containers with GPUs
docker run --gpus all -it image bash
docker run --rm --runtime=nvidia image
docker run --runtime nvidia image
nvidia-docker run -it image
docker run -e NVIDIA_VISIBLE_DEVICES=0 image
#### findings
1 manual
2 manual
3 manual
4 manual
5 manual
#### containers without
docker build -t image .
docker run -it image bash
#### comments and texts
# docker run --gpus all image
echo "docker run --gpus all"

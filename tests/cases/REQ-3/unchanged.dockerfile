#### images for GPUs
ARG FROM_IMAGE_NAME=nvcr.io/nvidia/tensorflow:20.06-tf1-py3
FROM ${FROM_IMAGE_NAME}
FROM nvidia/cuda:10.0-cudnn7-devel-ubuntu18.04 AS build
FROM tensorflow/tensorflow:1.15.0-gpu-py3
FROM --platform=linux/amd64 horovod/horovod:0.19
#### findings
1 manual
3 manual
4 manual
5 manual
#### other images
FROM ubuntu:18.04
FROM tensorflow/tensorflow:1.15.0-py3
FROM ascend-tensorflow:1.15
# FROM nvidia/cuda
ENV PATH=/usr/local/nvidia/bin:$PATH
RUN echo FROM nvidia/cuda
#### images of a PyTorch project
FROM nvidia/cuda:11.8.0-devel-ubuntu22.04
FROM pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime
#### with framework=torch frameworks=torch
#### findings
1 manual
2 manual

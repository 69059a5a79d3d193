#### an image with a Python that the release has no wheel for
FROM python:3.13-slim
RUN pip install torch==2.6.0
#### after
FROM python:3.13-slim
RUN pip install torch==2.6.0 torch-npu==2.6.0.post5
#### findings
1 manual
2 auto-check
#### an image with one that it has
FROM python:3.11
RUN pip install torch==2.6.0
#### after
FROM python:3.11
RUN pip install torch==2.6.0 torch-npu==2.6.0.post5
#### findings
2 auto-check

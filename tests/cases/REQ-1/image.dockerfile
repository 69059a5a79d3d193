#### a command of an image
FROM python:3.7
RUN pip install --no-cache-dir \
      tensorflow-gpu==1.15.0 \
      numpy && rm -rf /var/cache/pip
#### after
FROM python:3.7
RUN pip install --no-cache-dir \
      tensorflow==1.15.0 \
      numpy && rm -rf /var/cache/pip
#### findings
3 auto

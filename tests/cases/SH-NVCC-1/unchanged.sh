#### a kernel of an operator
nvcc tf_sampling_g.cu -o tf_sampling_g.cu.o -c -O2 -DGOOGLE_CUDA=1 -x cu -Xcompiler -fPIC
#### findings
1 manual
#### by path, and by a variable
/usr/local/cuda-8.0/bin/nvcc -std=c++11 -c roi.cu -o roi.o
$NVCC -c nms.cu
${CUDA_HOME}/bin/nvcc -c psroi.cu
#### findings
1 manual
2 manual
3 manual
#### behind a condition
if [ -d src ]; then cd src && nvcc -c a.cu; fi
#### findings
1 manual
#### only mentioned
echo "install nvcc first"
# nvcc a.cu
which python
export NVCC_FLAGS=-O2
#### another compiler
g++ -shared -o roi.so roi.cc

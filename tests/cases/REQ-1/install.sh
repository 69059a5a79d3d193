#### commands that install it
pip install --upgrade tensorflow-gpu==1.15.0 numpy
pip3 install "tensorflow-gpu==1.15" \
    pandas
conda install tensorflow-gpu
#### after
pip install --upgrade tensorflow==1.15.0 numpy
pip3 install "tensorflow==1.15" \
    pandas
conda install tensorflow
#### findings
1 auto
2 auto
4 auto-check
#### commands that do not
# pip install tensorflow-gpu
echo tensorflow-gpu
pip uninstall tensorflow-gpu
pip install tensorflow-gpu-tools

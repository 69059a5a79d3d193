#### packages, files and texts of these names
pip install gpustat nvitop
pip install nsys
mkdir nsys_reports
cp gpustat.py out/
# nsys profile python train.py
echo "use gpustat"

#### the forms of starting processes
mpirun -np 8 python train.py --x=1
horovodrun -np $N -H localhost:8 python3 train.py
mpiexec --allow-run-as-root --bind-to socket -np 4 \
    python3 main.py \
    --arch=resnet50
time mpirun -n 1 python train.py
#### findings
1 manual
2 manual
3 manual
6 manual
#### put together for later
mpi_command="mpirun -np $n --allow-run-as-root"
$mpi_command python train.py
cmd="horovodrun -np 8 "
#### findings
1 manual
3 manual
#### captured
log=$(mpirun -np 2 python train.py)
#### findings
1 manual
#### comments, texts and names
# mpirun -np 8 python train.py
echo "use mpirun -np 8"
cat <<EOF
mpirun -np 8 python train.py
EOF
ls /opt/mpirun-logs
#### started without MPI
for i in $(seq 0 7); do RANK_ID=$i python train.py & done; wait

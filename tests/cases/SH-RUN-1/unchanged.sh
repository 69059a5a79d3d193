#### a script that starts the program
#!/bin/bash
python3 -u ./main.py --x=1
python main.py
#### findings
2 info
#### another program
python other.py
python -c 'import main'
#### prepared already
source /usr/local/Ascend/ascend-toolkit/set_env.sh
python main.py
#### prepared by its caller
JOB_ID=1 python main.py
#### comments and texts
# python main.py
echo python main.py
#### another interpreter
bash main.sh

#### in programs
import subprocess
import torch
subprocess.run(["nsys", "profile", "python", "train.py"])
subprocess.Popen("dcgmi dmon", shell=True)
#### with framework=torch frameworks=torch
#### findings
3 manual
4 manual
#### messages, and commands of others
import subprocess
import torch
print("nsys profile python train.py")
subprocess.run(["echo", "gpustat"])
run(["nsys", "profile"])
#### with framework=torch frameworks=torch

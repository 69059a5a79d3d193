#### one name and a number
import argparse
import os
import torch
parser = argparse.ArgumentParser()
parser.add_argument('--local_rank', type=int, default=0)
#### after
import argparse
import os
import torch
parser = argparse.ArgumentParser()
parser.add_argument('--local_rank', '--local-rank', type=int, default=int(os.environ.get('LOCAL_RANK', 0)))
#### findings
5 auto
#### several lines, a negative number, os is not there
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--local_rank",
                    type=int,
                    default=-1,  # not distributed
                    help="for distributed training")
#### after
import argparse
import os
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", "--local-rank",
                    type=int,
                    default=int(os.environ.get('LOCAL_RANK', -1)),  # not distributed
                    help="for distributed training")
#### the environment is read already
import argparse, os, torch
p = argparse.ArgumentParser()
p.add_argument('--local_rank', default=os.getenv('LOCAL_RANK', 0), type=int)
#### after
import argparse, os, torch
p = argparse.ArgumentParser()
p.add_argument('--local_rank', '--local-rank', default=os.getenv('LOCAL_RANK', 0), type=int)
#### it is required
import argparse, os, torch
p = argparse.ArgumentParser()
p.add_argument('--local_rank', type=int, required=True)
#### after
import argparse, os, torch
p = argparse.ArgumentParser()
p.add_argument('--local_rank', '--local-rank', type=int, required=True)
#### findings
3 manual
3 auto

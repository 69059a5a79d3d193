#!/bin/bash
horovodrun -np 8 -H localhost:8 python train.py

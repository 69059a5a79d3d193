#### options of a command
python train.py --load_in_8bit --optim paged_adamw_32bit \
    --attn_implementation=flash_attention_2 --use-liger-kernel true
#### findings
1 manual
1 manual
2 manual
2 manual
#### values that work on NPUs
# python train.py --load_in_8bit
python train.py --load_in_8bit False --optim adamw_torch --attn_implementation sdpa
python train.py --load_in_8bit_not --no_load_in_8bit
echo load_in_8bits

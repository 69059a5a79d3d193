# shellcheck shell=bash disable=SC2034,SC2016
# What these scripts train, and how. Change it as you like; common.sh reads it.

network=@NETWORK@
framework=@FRAMEWORK@ # tensorflow or pytorch
python="${PYTHON:-@PYTHON@}"
entry=@ENTRY@ # a file from the folder of the project; a notebook runs as the code of its cells
module=@MODULE@ # for python -m, instead of the file; empty: the file is started
folder=@FOLDER@ # where it runs, from the folder of the project
search_path=(@SEARCH_PATH@) # more folders of the project that it imports from
# Whether something averages the gradients of several devices (1) or each trains apart (0).
averages=@AVERAGES@

# Whether the script takes the path of its data (1) or not (0), and what stands in front of it.
takes_data=@TAKES_DATA@
data_option=@DATA_OPTION@
# In front of the number of samples in a step of one device; empty: the script takes none.
batch_option=@BATCH_OPTION@
batch_size=@BATCH_SIZE@
# Whether the script takes the batch of all devices together (1) and divides it, or that of one (0).
batch_of_all=@BATCH_OF_ALL@

common_arguments=(@COMMON_ARGUMENTS@)
full_arguments=(@FULL_ARGUMENTS@)
performance_arguments=(@PERFORMANCE_ARGUMENTS@)

# Whether the script starts the processes of all devices by itself (1), as with mp.spawn.
starts_ranks=@STARTS_RANKS@

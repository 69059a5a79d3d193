# shellcheck shell=bash source-path=SCRIPTDIR
# What the launch scripts share: they read it and call train. settings.sh says what is trained.

test_folder="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
project="$(dirname -- "$test_folder")"
# the scripts of one program: this folder, or one below it
script_folder="$(cd -- "$(dirname -- "${BASH_SOURCE[1]}")" && pwd)"
output="$script_folder/output"
# shellcheck source=settings.sh
source "$script_folder/settings.sh"

data_path=""
precision_mode=""
over_dump=False
data_dump_flag=False
data_dump_step=10
over_dump_path="$output/overflow_dump"
data_dump_path="$output/data_dump"
profiling=False
profiling_dump_path="$output/profiling"
use_mixlist=False
mixlist_file="$project/ops_info.json"
fusion_off_flag=False
fusion_off_file="$project/fusion_switch.cfg"
autotune=False
servers=1
server_index=0
own_arguments=()

usage() {
    cat <<TEXT
usage: bash $(basename -- "$0") [switches] [-- arguments of $entry]

  --data_path=FOLDER       source data of training
  --batch_size=N           samples of a device in a step (${batch_size:-as $entry has it})
  --precision_mode=MODE    allow_mix_precision, allow_fp32_to_fp16, must_keep_origin_dtype, ...
  --over_dump=BOOL         dump operators that overflow
  --over_dump_path=FOLDER  to this folder (output/overflow_dump)
  --data_dump_flag=BOOL    dump data of operators
  --data_dump_step=STEPS   of these steps: 10, or 0|5|10-20
  --data_dump_path=FOLDER  to this folder (output/data_dump)
  --profiling=BOOL         profile
  --profiling_dump_path=FOLDER
                           to this folder (output/profiling)
  --use_mixlist=BOOL       say which operators compute in float16
  --mixlist_file=FILE      in this file (ops_info.json)
  --fusion_off_flag=BOOL   switch fusions of operators off
  --fusion_off_file=FILE   in this file (fusion_switch.cfg)
  --autotune=BOOL          tune operators, in output/autotune
  --servers=N              servers of a job of @DEVICES@ devices each; run the script on each of them
  --server_index=I         which of them this is, from 0
  -h, --help               show this

BOOL is True or False; False unless given. ASCENDIFY_EMULATE=1 runs without NPUs, on the CPU.
TEXT
}

fail() {
    printf '[Error] %s\n' "$1" >&2
    exit 2
}

is_true() {
    case "$2" in
        True | true | 1) return 0 ;;
        False | false | 0) return 1 ;;
        *) fail "$1 is '$2'; expected True or False" ;;
    esac
}

existing_file() {
    [ -f "$2" ] || fail "$1: $2 does not exist"
    printf '%s' "$(cd -- "$(dirname -- "$2")" && pwd)/$(basename -- "$2")"
}

is_number() {
    case "$2" in
        '' | *[!0-9]*) fail "$1 is '$2'; expected a number" ;;
    esac
}

read_switches() {
    local name value
    while [ $# -gt 0 ]; do
        case "$1" in
            -h | --help)
                usage
                exit 0
                ;;
            --)
                shift
                own_arguments=("$@")
                break
                ;;
            --*=*)
                name="${1%%=*}"
                value="${1#*=}"
                shift
                ;;
            --*)
                [ $# -ge 2 ] || fail "$1 needs a value"
                name="$1"
                value="$2"
                shift 2
                ;;
            *) fail "'$1' is no switch; --help lists them" ;;
        esac
        case "$name" in
            --data_path) data_path="$value" ;;
            --batch_size) batch_size="$value" ;;
            --precision_mode) precision_mode="$value" ;;
            --over_dump) over_dump="$value" ;;
            --data_dump_flag) data_dump_flag="$value" ;;
            --data_dump_step) data_dump_step="$value" ;;
            --over_dump_path) over_dump_path="$value" ;;
            --data_dump_path) data_dump_path="$value" ;;
            --profiling) profiling="$value" ;;
            --profiling_dump_path) profiling_dump_path="$value" ;;
            --use_mixlist) use_mixlist="$value" ;;
            --mixlist_file) mixlist_file="$value" ;;
            --fusion_off_flag) fusion_off_flag="$value" ;;
            --fusion_off_file) fusion_off_file="$value" ;;
            --autotune) autotune="$value" ;;
            --servers) servers="$value" ;;
            --server_index) server_index="$value" ;;
            *) fail "$name is no switch; --help lists them, arguments of $entry follow --" ;;
        esac
    done
    check_switches
}

check_switches() {
    if [ -z "$data_path" ] && [ "$takes_data" = 1 ]; then
        fail "--data_path must be given"
    fi
    if [ -n "$data_path" ]; then
        [ -e "$data_path" ] || fail "--data_path: $data_path does not exist"
        # the script runs in another folder
        data_path="$(cd -- "$(dirname -- "$data_path")" && pwd)/$(basename -- "$data_path")"
        export DATA_PATH="$data_path"
    fi
    [ -z "$batch_size" ] || is_number --batch_size "$batch_size"
    is_number --servers "$servers"
    is_number --server_index "$server_index"
    if [ "$servers" -gt 1 ] && [ "$devices" -eq 1 ]; then
        fail "--servers needs all devices of each, see the scripts for @DEVICES@p"
    fi
    [ "$server_index" -lt "$servers" ] || fail "--server_index is from 0 to $((servers - 1))"
    if is_true --over_dump "$over_dump" && is_true --data_dump_flag "$data_dump_flag"; then
        fail "--over_dump and --data_dump_flag exclude each other"
    fi
    if is_true --use_mixlist "$use_mixlist"; then
        mixlist_file="$(existing_file --mixlist_file "$mixlist_file")" || exit
    fi
    if is_true --fusion_off_flag "$fusion_off_flag"; then
        fusion_off_file="$(existing_file --fusion_off_file "$fusion_off_file")" || exit
    fi
}

# --- switches reach the training -----------------------------------------------------------------

# npu_options.py, beside the script, reads NPU_<OPTION> and checks it.
needs_options() {
    local options_file
    options_file="$(dirname -- "$project/$entry")/npu_options.py"
    [ -f "$options_file" ] || fail "$1 reaches $entry through npu_options.py, which is not there; \
'ascendify migrate' writes it when an NPU option is given, such as --precision-mode"
}

# The script runs in another folder, so paths must not depend on this one.
made_folder() {
    mkdir -p -- "$1" && (cd -- "$1" && pwd)
}

apply_to_tensorflow() {
    if [ -n "$precision_mode" ]; then
        needs_options --precision_mode
        export NPU_PRECISION_MODE="$precision_mode"
    fi
    if is_true --over_dump "$over_dump"; then
        needs_options --over_dump
        export NPU_ENABLE_DUMP_DEBUG=1 NPU_DUMP_DEBUG_MODE=all
        NPU_DUMP_PATH="$(made_folder "$over_dump_path")"
        export NPU_DUMP_PATH
    fi
    if is_true --data_dump_flag "$data_dump_flag"; then
        needs_options --data_dump_flag
        export NPU_ENABLE_DUMP=1 NPU_DUMP_MODE=all NPU_DUMP_STEP="$data_dump_step"
        NPU_DUMP_PATH="$(made_folder "$data_dump_path")"
        export NPU_DUMP_PATH
    fi
    if is_true --profiling "$profiling"; then
        needs_options --profiling
        local folder
        folder="$(made_folder "$profiling_dump_path")"
        folder="${folder//\\/\\\\}"
        folder="${folder//\"/\\\"}"
        export NPU_PROFILING_MODE=1
        export NPU_PROFILING_OPTIONS="{\"output\": \"$folder\", \"training_trace\": \"on\", \
\"task_trace\": \"on\", \"aicpu\": \"on\", \"aic_metrics\": \"PipeUtilization\"}"
    fi
    if is_true --use_mixlist "$use_mixlist"; then
        needs_options --use_mixlist
        export NPU_MODIFY_MIXLIST="$mixlist_file"
    fi
    if is_true --fusion_off_flag "$fusion_off_flag"; then
        needs_options --fusion_off_flag
        export NPU_FUSION_SWITCH_FILE="$fusion_off_file"
    fi
    if is_true --autotune "$autotune"; then
        needs_options --autotune
        mkdir -p -- "$output/autotune"
        export NPU_AOE_MODE=2 NPU_WORK_PATH="$output/autotune"
    fi
}

in_code_only() {
    fail "$1 cannot be switched from outside for PyTorch; in $entry, call $2"
}

apply_to_pytorch() {
    if [ -n "$precision_mode" ]; then
        in_code_only --precision_mode "torch_npu.npu.set_option({'ACL_PRECISION_MODE': ...})"
    fi
    if is_true --over_dump "$over_dump"; then
        in_code_only --over_dump "torch_npu.npu.utils.npu_check_overflow(...)"
    fi
    if is_true --data_dump_flag "$data_dump_flag"; then
        in_code_only --data_dump_flag "torch_npu.npu.init_dump() and set_dump(...)"
    fi
    if is_true --use_mixlist "$use_mixlist" || is_true --fusion_off_flag "$fusion_off_flag"; then
        fail "--use_mixlist and --fusion_off_flag are for graphs, which PyTorch does not have here"
    fi
    if is_true --autotune "$autotune"; then
        in_code_only --autotune "torch_npu.npu.set_aoe(...)"
    fi
    if is_true --profiling "$profiling"; then
        command -v msprof >/dev/null || fail "--profiling needs msprof, of CANN; see env.sh"
        command_line=(msprof "--output=$(made_folder "$profiling_dump_path")" "${command_line[@]}")
    fi
}

# --- the program ---------------------------------------------------------------------------------

# What the interpreter starts, from the folder in which it runs.
choose_program() {
    program=("$entry")
    [ "$folder" = . ] || program=("$project/$entry")
    [ -z "$module" ] || program=(-m "$module")
    case "$entry" in
        *.ipynb) program=("$output/notebook.py") ;;
    esac
}

# The code of a notebook's cells, without the lines for IPython.
write_notebook_program() {
    mkdir -p -- "$output"
    PYTHONPATH="$(dirname -- "$project/$entry")${PYTHONPATH:+:$PYTHONPATH}"
    export PYTHONPATH
    "$python" - "$project/$entry" "$output/notebook.py" <<'CODE'
import json
import sys

OTHERS = ("%%bash", "%%sh", "%%html", "%%javascript", "%%js", "%%writefile", "%%script", "%%latex")


def is_python(source):
    lines = [line for line in source.splitlines() if line.strip() and not line.startswith("#")]
    return not (lines and lines[0].split()[0] in OTHERS)


def without_ipython(source):
    try:
        compile(source, "cell", "exec")
        return source
    except SyntaxError:
        lines = []
        for line in source.splitlines():
            text = line.lstrip()
            if text.startswith(("%", "!", "?")) or text.rstrip().endswith("?"):
                line = line[: len(line) - len(text)] + "pass  # " + text
            lines.append(line)
        return "\n".join(lines)


with open(sys.argv[1], encoding="utf-8") as file:
    cells = json.load(file)["cells"]
sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write("\n\n".join(without_ipython(item) for item in sources if is_python(item)) + "\n")
CODE
}

# --- the ranks -----------------------------------------------------------------------------------

rank_table() {
    if [ -n "$RANK_TABLE_FILE" ]; then
        printf '%s' "$RANK_TABLE_FILE"
    elif [ "$servers" -gt 1 ]; then
        printf '%s' "$project/configs/rank_table_${servers}x${devices}.json"
    else
        printf '%s' "$project/configs/rank_table_${devices}p.json"
    fi
}

run_with_ascendify() {
    local options=(--project "$project/$folder" --log-dir "$output/logs" --measure) device
    if [ "$servers" -gt 1 ] || { [ -n "$RANK_TABLE_FILE" ] && [ "$devices" -gt 1 ]; }; then
        options+=(--rank-table "$(rank_table)" --server "$server_index")
    else
        options+=(--devices "$devices")
    fi
    [ "$starts_ranks" = 0 ] || options+=(--once)
    [ -z "$ASCENDIFY_EMULATE" ] || options+=(--emulate)
    local status=0
    ascendify launch "${options[@]}" -- "${command_line[@]}" || status=$?
    for ((device = 0; device < devices; device++)); do
        local log="$output/logs/rank-$((server_index * devices + device)).log"
        mkdir -p -- "$output/$device"
        if [ -f "$log" ]; then
            cp -- "$log" "$output/$device/train_$device.log"
        fi
    done
    return "$status"
}

start_rank() {
    local device="$1"
    cd -- "$project/$folder" || return
    unset RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE
    if [ "$starts_ranks" = 1 ]; then
        unset RANK_ID RANK_SIZE RANK_TABLE_FILE
        exec "${command_line[@]}"
    fi
    export RANK_ID=$((server_index * devices + device)) RANK_SIZE="$rank_size"
    export ASCEND_DEVICE_ID="$device" DEVICE_ID="$device" DEVICE_INDEX="$device"
    if [ "$rank_size" -gt 1 ]; then
        export RANK="$RANK_ID" WORLD_SIZE="$rank_size"
        export LOCAL_RANK="$device" LOCAL_WORLD_SIZE="$devices"
        export MASTER_ADDR="${MASTER_ADDR:-127.0.0.1}" MASTER_PORT="${MASTER_PORT:-29500}"
        export RANK_TABLE_FILE="$table"
    else
        unset RANK_TABLE_FILE
    fi
    exec "${command_line[@]}"
}

processes=()

stop_ranks() {
    local process
    for process in "${processes[@]}"; do
        kill "$process" 2>/dev/null || true
    done
    wait || true
}

# Without ascendify: start one process a device, and stop all when one fails.
run_plainly() {
    local device started table
    table="$(rank_table)"
    started="$devices"
    [ "$starts_ranks" = 0 ] || started=1
    if [ "$rank_size" -gt 1 ] && [ "$starts_ranks" = 0 ] && [ ! -f "$table" ]; then
        fail "the rank table $table does not exist"
    fi
    if [ "$servers" -gt 1 ] && [ "$framework" = pytorch ] && [ -z "$MASTER_ADDR" ]; then
        fail "MASTER_ADDR must be set: the address of the first server"
    fi
    trap 'stop_ranks; exit 130' INT
    trap 'stop_ranks; exit 143' TERM
    for ((device = 0; device < started; device++)); do
        mkdir -p -- "$output/$device"
        start_rank "$device" >"$output/$device/train_$device.log" 2>&1 &
        processes+=("$!")
    done
    await_ranks
}

await_ranks() {
    local device status running=1
    local ended=()
    while [ "$running" -gt 0 ]; do
        running=0
        for device in "${!processes[@]}"; do
            [ -z "${ended[device]}" ] || continue
            if kill -0 "${processes[device]}" 2>/dev/null; then
                running=1
                continue
            fi
            status=0
            wait "${processes[device]}" || status=$?
            ended[device]=1
            if [ "$status" -ne 0 ]; then
                printf '[Error] device %s ended with exit code %s; its log ends with:\n' \
                    "$device" "$status" >&2
                tail -n 20 -- "$output/$device/train_$device.log" >&2
                stop_ranks
                return "$status"
            fi
        done
        [ "$running" -eq 0 ] || sleep 0.2
    done
}

# --- results -------------------------------------------------------------------------------------

# The last number after one of some words in a log: last_number 'loss' FILE
last_number() {
    awk -v words="$1" '
        {
            text = tolower($0)
            while (match(text, "(" words ")[ :=]*[-+]?[0-9]+[.]?[0-9]*(e[-+]?[0-9]+)?")) {
                found = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
                sub("^(" words ")[ :=]*", "", found)
                value = found
            }
        }
        END { print value }' "$2"
}

# The last number before one of some words in a log: number_before 'sec/step' FILE
number_before() {
    awk -v words="$1" '
        {
            if (match(tolower($0), "[0-9]+[.]?[0-9]* *(" words ")")) {
                value = substr($0, RSTART, RLENGTH) + 0
            }
        }
        END { print value }' "$2"
}

field() {
    awk -F ' = ' -v name="$1" '$1 == name { print $2 }' "$2"
}

read_results_with_ascendify() {
    local case_file options=(--network "$network" --ranks "$rank_size")
    case_file="$output/logs/case"
    [ -z "$batch_size" ] || options+=(--batch-size "$batch_size")
    ascendify summary "$output/logs" --quiet --case "$case_file" "${options[@]}" 2>/dev/null || true
    [ -f "$case_file" ] || return 0
    fps="$(field ActualFPS "$case_file")"
    train_accuracy="$(field TrainAccuracy "$case_file")"
    loss="$(field ActualLoss "$case_file")"
    batch_size="$(field BatchSize "$case_file")"
    training_time="$(field TrainingTime "$case_file")"
}

# What is not known yet, from the log of the first device.
read_results_from_log() {
    local log="$output/0/train_0.log" seconds
    [ -n "$train_accuracy" ] || train_accuracy="$(last_number 'accuracy|acc|top1|top-1' "$log")"
    [ -n "$loss" ] || loss="$(last_number 'loss' "$log")"
    [ -n "$fps" ] || fps="$(last_number 'fps|images/sec|samples/sec|examples/sec' "$log")"
    [ -n "$fps" ] || fps="$(number_before '(images|samples|examples|img)/s' "$log")"
    seconds="$(number_before 'sec/step' "$log")"
    if [ -z "$fps" ] && [ -n "$seconds" ] && [ -n "$batch_size" ]; then
        fps="$(awk -v n="$((batch_size * rank_size))" -v s="$seconds" \
            'BEGIN { if (s > 0) printf "%.2f", n / s }')"
    fi
    if [ -z "$training_time" ] && [ -n "$fps" ] && [ -n "$batch_size" ]; then
        training_time="$(awk -v n="$((batch_size * rank_size))" -v f="$fps" \
            'BEGIN { if (f > 0) printf "%.2f", n * 1000 / f }')"
    fi
}

write_results() {
    local case_name="${network}_bs${batch_size}_${rank_size}p_$suffix"
    echo "------------------ Final result ------------------"
    echo "Final Performance images/sec : $fps"
    echo "Final Train Accuracy : $train_accuracy"
    echo "E2E Training Duration sec : $e2e_time"
    cat >"$output/0/$case_name.log" <<TEXT
Network = $network
RankSize = $rank_size
BatchSize = $batch_size
DeviceType = $(uname -m)
CaseName = $case_name
ActualFPS = $fps
TrainingTime = $training_time
TrainAccuracy = $train_accuracy
ActualLoss = $loss
E2ETrainingTime = $e2e_time
TEXT
    echo "Case file : $output/0/$case_name.log"
}

# --- all of it -----------------------------------------------------------------------------------

# train full|performance DEVICES [switches]
train() {
    local kind="$1" device start_time e2e_time fps train_accuracy loss training_time status=0
    devices="$2"
    shift 2
    read_switches "$@"
    rank_size=$((devices * servers))
    if [ "$rank_size" -gt 1 ] && [ "$averages" = 0 ]; then
        printf '[Warning] nothing in %s averages gradients: each of %s devices trains a model of \
its own\n' "$entry" "$rank_size" >&2
    fi
    local arguments=("${full_arguments[@]}") suffix=acc
    if [ "$kind" = performance ]; then
        arguments=("${performance_arguments[@]}")
        suffix=perf
    fi
    choose_program
    command_line=("$python" "${program[@]}" "${common_arguments[@]}" "${arguments[@]}")
    [ "$takes_data" = 0 ] || command_line+=("$data_option$data_path")
    if [ -n "$batch_option" ] && [ -n "$batch_size" ]; then
        if [ "$batch_of_all" = 1 ]; then
            command_line+=("$batch_option$((batch_size * rank_size))")
        else
            command_line+=("$batch_option$batch_size")
        fi
    fi
    command_line+=("${own_arguments[@]}")
    # shellcheck source=env.sh
    source "$test_folder/env.sh"
    local below
    for below in "${search_path[@]}"; do
        PYTHONPATH="$project/$below${PYTHONPATH:+:$PYTHONPATH}"
    done
    export PYTHONPATH="$project${PYTHONPATH:+:$PYTHONPATH}"
    rm -rf -- "${output:?}/logs"
    for ((device = 0; device < devices; device++)); do
        rm -rf -- "${output:?}/$device"
        mkdir -p -- "$output/$device"
    done
    case "$entry" in
        *.ipynb) write_notebook_program ;;
    esac
    "apply_to_$framework"
    local with_ascendify=""
    with_ascendify="$(command -v ascendify || true)"
    if [ -n "$ASCENDIFY_EMULATE" ] && [ -z "$with_ascendify" ]; then
        fail "ASCENDIFY_EMULATE needs ascendify: pip install ascendify"
    fi
    start_time=$(date +%s)
    if [ -n "$with_ascendify" ]; then
        run_with_ascendify || status=$?
    else
        run_plainly || status=$?
    fi
    e2e_time=$(($(date +%s) - start_time))
    [ "$status" -eq 0 ] || exit "$status"
    if [ -n "$with_ascendify" ]; then
        read_results_with_ascendify
    fi
    read_results_from_log
    write_results
}

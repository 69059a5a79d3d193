#!/usr/bin/env bash
# @WHAT@: bash @NAME@@EXAMPLE@
# shellcheck source-path=SCRIPTDIR
set -eo pipefail
# shellcheck source=common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"
train @KIND@ @DEVICES@ "$@"

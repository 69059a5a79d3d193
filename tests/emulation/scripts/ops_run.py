"""All checks of the operators in one process."""

import ops_errors
import ops_random
import ops_rnn
import ops_values
from ops_harness import run_checks

run_checks([ops_values, ops_rnn, ops_errors, ops_random])

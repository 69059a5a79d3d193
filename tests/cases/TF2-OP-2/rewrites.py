#### a module of an older port
import npu_device
import npu_convert_dropout
import tensorflow as tf
#### after
import npu_device
import tensorflow as tf
#### findings
2 auto
#### a name of it, from a package
import tensorflow as tf
from utils.npu_convert_dropout import npu_convert_dropout

model = build()
#### after
import tensorflow as tf

model = build()
#### used in the program
import tensorflow as tf
from npu_convert_dropout import npu_convert_dropout

npu_convert_dropout()
#### findings
2 manual
#### under another name
import npu_device
import npu_convert_dropout as convert
import tensorflow as tf
#### after
import npu_device
import tensorflow as tf

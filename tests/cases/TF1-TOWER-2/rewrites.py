#### a number
from deployment import model_deploy
config = model_deploy.DeploymentConfig(num_clones=4, clone_on_cpu=False)
#### after
from deployment import model_deploy
config = model_deploy.DeploymentConfig(num_clones=1, clone_on_cpu=False)
#### findings
2 auto-check
#### a flag, the class in the project
import tensorflow as tf
from slim import model_deploy as md
tf.app.flags.DEFINE_integer('num_clones', default=2, help='clones')
FLAGS = tf.app.flags.FLAGS
config = md.DeploymentConfig(FLAGS.num_clones)
#### file slim/model_deploy.py
class DeploymentConfig(object):
    pass
#### after
import tensorflow as tf
from slim import model_deploy as md
tf.app.flags.DEFINE_integer('num_clones', default=1, help='clones')
FLAGS = tf.app.flags.FLAGS
config = md.DeploymentConfig(FLAGS.num_clones)

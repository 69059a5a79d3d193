#### one clone by default
import tensorflow as tf
from deployment import model_deploy
tf.app.flags.DEFINE_integer('num_clones', 1, 'clones')
config = model_deploy.DeploymentConfig(num_clones=tf.app.flags.FLAGS.num_clones)
#### findings
4 info
#### a unit test expects its clones
import tensorflow as tf
from deployment import model_deploy
class DeployTest(tf.test.TestCase):
    def testTwo(self):
        config = model_deploy.DeploymentConfig(num_clones=2)
#### no number
from deployment import model_deploy
config = model_deploy.DeploymentConfig()
#### one clone
from deployment import model_deploy
config = model_deploy.DeploymentConfig(num_clones=1)
#### a number that cannot be known
from deployment import model_deploy
config = model_deploy.DeploymentConfig(num_clones=clones())
#### findings
2 manual
#### another DeploymentConfig
from kubernetes import DeploymentConfig
config = DeploymentConfig(num_clones=4)
#### a class of the user's
class DeploymentConfig(object):
    pass
config = DeploymentConfig(4)
#### other parts of model_deploy
from deployment import model_deploy
clones = model_deploy.create_clones(config, f)
#### a method of that name
config = maker.DeploymentConfig(num_clones=3)

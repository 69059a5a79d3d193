#### before fit() of a model that is built
import tensorflow as tf
model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(1)])
model.compile('adam', 'mse')
model.fit(dataset, epochs=3)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(1)])
model.compile('adam', 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(dataset, epochs=3)
#### findings
4 auto
#### a functional model, trained in a loop
import tensorflow as tf
def build():
    inputs = tf.keras.Input((8,))
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))
def main():
    model = build()
    for epoch in range(3):
        model.fit(dataset)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def build():
    inputs = tf.keras.Input((8,))
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))
def main():
    model = build()
    npu_device.distribute.broadcast(model.variables, root_rank=0)
    for epoch in range(3):
        model.fit(dataset)
#### findings
8 auto
#### layers are added one by one
import tensorflow as tf
model = tf.keras.models.Sequential()
model.add(tf.keras.layers.Dense(4, input_shape=(8,)))
model.add(tf.keras.layers.Dense(1))
model.fit(dataset)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
model = tf.keras.models.Sequential()
model.add(tf.keras.layers.Dense(4, input_shape=(8,)))
model.add(tf.keras.layers.Dense(1))
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(dataset)
#### findings
5 auto
#### a network of Keras
import tensorflow as tf
model = tf.keras.applications.ResNet50(weights=None)
model.fit(dataset)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
model = tf.keras.applications.ResNet50(weights=None)
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(dataset)
#### findings
3 auto
#### a model of a class of its own has no variables yet: a callback
import tensorflow as tf
class Net(tf.keras.Model):
    def call(self, x):
        return x
model = Net()
model.compile('adam', 'mse')
model.fit(dataset, callbacks=[stop])
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def npu_broadcast_callback():
    """Callback that gives every rank the variables of rank 0 as soon as they exist."""
    class Broadcast(tf.keras.callbacks.Callback):
        done = False

        def on_train_batch_begin(self, batch, logs=None):
            if self.model.built and not self.done:
                self.done = True
                npu_device.distribute.broadcast(self.model.variables, root_rank=0)
                if self.model.optimizer.variables():
                    npu_device.distribute.broadcast(self.model.optimizer.variables(), root_rank=0)

        on_train_batch_end = on_train_batch_begin

    return Broadcast()


class Net(tf.keras.Model):
    def call(self, x):
        return x
model = Net()
model.compile('adam', 'mse')
model.fit(dataset, callbacks=[npu_broadcast_callback(), stop])
#### findings
7 auto-check
#### a Sequential without a shape, and callbacks in a variable
import tensorflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.fit(dataset, callbacks=callbacks)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
def npu_broadcast_callback():
    """Callback that gives every rank the variables of rank 0 as soon as they exist."""
    class Broadcast(tf.keras.callbacks.Callback):
        done = False

        def on_train_batch_begin(self, batch, logs=None):
            if self.model.built and not self.done:
                self.done = True
                npu_device.distribute.broadcast(self.model.variables, root_rank=0)
                if self.model.optimizer.variables():
                    npu_device.distribute.broadcast(self.model.optimizer.variables(), root_rank=0)

        on_train_batch_end = on_train_batch_begin

    return Broadcast()


model.fit(dataset, callbacks=[npu_broadcast_callback(), *(callbacks or [])])
#### findings
3 auto-check
#### built by hand
import tensorflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.build((None, 8))
model.fit(dataset)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.build((None, 8))
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(dataset)
#### findings
4 auto
#### before the loop that runs a step
import tensorflow as tf
model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(1)])
@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
def train():
    checkpoint.restore(path)
    for epoch in range(3):
        for x, y in dataset:
            step(x, y)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(1)])
@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
def train():
    checkpoint.restore(path)
    npu_device.distribute.broadcast(model.variables, root_rank=0)
    for epoch in range(3):
        for x, y in dataset:
            step(x, y)
#### findings
7 auto
#### two models
import tensorflow as tf
def make():
    return tf.keras.Sequential([tf.keras.layers.Dense(1, input_dim=8)])
generator, discriminator = make(), make()
gen = make()
disc = make()
for batch in dataset:
    with tf.GradientTape() as a, tf.GradientTape() as b:
        g, d = losses(batch)
    gg = a.gradient(g, gen.trainable_variables)
    dg = b.gradient(d, disc.trainable_variables)
    opt.apply_gradients(zip(gg, gen.trainable_variables))
    opt2.apply_gradients(zip(dg, disc.trainable_variables))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def make():
    return tf.keras.Sequential([tf.keras.layers.Dense(1, input_dim=8)])
generator, discriminator = make(), make()
gen = make()
disc = make()
npu_device.distribute.broadcast(gen.variables, root_rank=0)
npu_device.distribute.broadcast(disc.variables, root_rank=0)
for batch in dataset:
    with tf.GradientTape() as a, tf.GradientTape() as b:
        g, d = losses(batch)
    gg = a.gradient(g, gen.trainable_variables)
    dg = b.gradient(d, disc.trainable_variables)
    opt.apply_gradients(zip(gg, gen.trainable_variables))
    opt2.apply_gradients(zip(dg, disc.trainable_variables))
#### findings
10 auto
11 auto
#### a trainer with methods
import tensorflow as tf
class Trainer:
    def __init__(self):
        self.model = tf.keras.applications.ResNet50(weights=None)
        self.optimizer = tf.keras.optimizers.SGD(0.1)
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, self.model(x))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
    def train(self, dataset):
        for x, y in dataset:
            self.step(x, y)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
class Trainer:
    def __init__(self):
        self.model = tf.keras.applications.ResNet50(weights=None)
        self.optimizer = tf.keras.optimizers.SGD(0.1)
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, self.model(x))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
    def train(self, dataset):
        npu_device.distribute.broadcast(self.model.variables, root_rank=0)
        for x, y in dataset:
            self.step(x, y)
#### findings
9 auto
#### a model that is handed to the step
import tensorflow as tf
def step(net, x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, net(x))
    grads = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(grads, net.trainable_variables))
def main():
    model = tf.keras.applications.ResNet50(weights=None)
    for x, y in dataset:
        step(model, x, y)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def step(net, x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, net(x))
    grads = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(grads, net.trainable_variables))
def main():
    model = tf.keras.applications.ResNet50(weights=None)
    npu_device.distribute.broadcast(model.variables, root_rank=0)
    for x, y in dataset:
        step(model, x, y)
#### findings
5 auto
#### a loop, and a model that its first step builds
import tensorflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
for epoch in range(3):
    for x, y in dataset:
        step(x, y)
    print(epoch)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
npu_model_is_broadcast = False
for epoch in range(3):
    for x, y in dataset:
        step(x, y)
        if not npu_model_is_broadcast:
            npu_device.distribute.broadcast(model.variables, root_rank=0)
            npu_model_is_broadcast = True
    print(epoch)
#### findings
6 auto-check
#### a step in the loop itself
import tensorflow as tf
class Net(tf.keras.Model):
    def call(self, x):
        return x
def main():
    model = Net()
    for x, y in dataset:
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
main()
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
class Net(tf.keras.Model):
    def call(self, x):
        return x
def main():
    model = Net()
    npu_model_is_broadcast = False
    for x, y in dataset:
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        if not npu_model_is_broadcast:
            npu_device.distribute.broadcast(model.variables, root_rank=0)
            npu_model_is_broadcast = True
main()
#### findings
10 auto-check
#### a trainer whose model its first step builds
import tensorflow as tf
class Net(tf.keras.Model):
    def call(self, x):
        return x
class Trainer:
    def __init__(self):
        self.model = Net()
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, self.model(x))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
    def train(self):
        for x, y in self.dataset:
            self.step(x, y)
Trainer().train()
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
class Net(tf.keras.Model):
    def call(self, x):
        return x
class Trainer:
    def __init__(self):
        self.model = Net()
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, self.model(x))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
    def train(self):
        npu_model_is_broadcast = False
        for x, y in self.dataset:
            self.step(x, y)
            if not npu_model_is_broadcast:
                npu_device.distribute.broadcast(self.model.variables, root_rank=0)
                npu_model_is_broadcast = True
Trainer().train()
#### findings
11 auto-check
#### two models that their first step builds
import tensorflow as tf
generator = tf.keras.Sequential([tf.keras.layers.Dense(1)])
critic = tf.keras.Sequential([tf.keras.layers.Dense(1)])
def step(x):
    with tf.GradientTape() as tape, tf.GradientTape() as other:
        loss = tf.reduce_mean(critic(generator(x)))
    grads = tape.gradient(loss, generator.trainable_variables)
    others = other.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(grads, generator.trainable_variables))
    optimizer.apply_gradients(zip(others, critic.trainable_variables))
for x in dataset:
    step(x)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
generator = tf.keras.Sequential([tf.keras.layers.Dense(1)])
critic = tf.keras.Sequential([tf.keras.layers.Dense(1)])
def step(x):
    with tf.GradientTape() as tape, tf.GradientTape() as other:
        loss = tf.reduce_mean(critic(generator(x)))
    grads = tape.gradient(loss, generator.trainable_variables)
    others = other.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(grads, generator.trainable_variables))
    optimizer.apply_gradients(zip(others, critic.trainable_variables))
npu_generator_is_broadcast = False
npu_critic_is_broadcast = False
for x in dataset:
    step(x)
    if not npu_generator_is_broadcast:
        npu_device.distribute.broadcast(generator.variables, root_rank=0)
        npu_generator_is_broadcast = True
    if not npu_critic_is_broadcast:
        npu_device.distribute.broadcast(critic.variables, root_rank=0)
        npu_critic_is_broadcast = True
#### findings
7 auto-check
8 auto-check
#### steps in two branches of the loop
import tensorflow as tf


def train(strategy, model, iterator, optimizer):
    def replica(batch):
        with tf.GradientTape() as tape:
            loss = model(batch)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))

    @tf.function
    def many(iterator, steps):
        for _ in tf.range(steps):
            strategy.run(replica, args=(next(iterator),))

    @tf.function
    def one(iterator):
        strategy.run(replica, args=(next(iterator),))

    for steps in (1, 2, 3):
        if steps == 1:
            one(iterator)
        else:
            many(iterator, tf.constant(steps))
#### after
import tensorflow as tf
import npu_device


def train(strategy, model, iterator, optimizer):
    def replica(batch):
        with tf.GradientTape() as tape:
            loss = model(batch)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))

    @tf.function
    def many(iterator, steps):
        for _ in tf.range(steps):
            strategy.run(replica, args=(next(iterator),))

    @tf.function
    def one(iterator):
        strategy.run(replica, args=(next(iterator),))

    npu_model_is_broadcast = False
    for steps in (1, 2, 3):
        if steps == 1:
            one(iterator)
            if not npu_model_is_broadcast:
                npu_device.distribute.broadcast(model.variables, root_rank=0)
                npu_model_is_broadcast = True
        else:
            many(iterator, tf.constant(steps))
            if not npu_model_is_broadcast:
                npu_device.distribute.broadcast(model.variables, root_rank=0)
                npu_model_is_broadcast = True
#### with distributed=tf_strategy
#### findings
8 auto-check
#### variables without a model
import tensorflow as tf

weights = {"a": tf.Variable(1.0), "b": tf.Variable(2.0)}
bias = tf.Variable(0.0)
optimizer = tf.optimizers.SGD(0.1)


def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(weights["a"] * x + bias)
    variables = list(weights.values()) + [bias]
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))


for x in dataset:
    step(x)
#### after
import tensorflow as tf
import npu_device

weights = {"a": tf.Variable(1.0), "b": tf.Variable(2.0)}
bias = tf.Variable(0.0)
optimizer = tf.optimizers.SGD(0.1)


def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(weights["a"] * x + bias)
    variables = list(weights.values()) + [bias]
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))


npu_device.distribute.broadcast(list(weights.values()) + [bias], root_rank=0)
for x in dataset:
    step(x)
#### with distributed=tf_strategy
#### findings
12 auto
#### a model with a fit() of its own
import tensorflow as tf
class Net(tf.keras.Model):
    def train_step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self(x))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return loss
    def fit(self, dataset):
        for x in dataset:
            loss = self.train_step(x)
            print(loss)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
class Net(tf.keras.Model):
    def train_step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self(x))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return loss
    def fit(self, dataset):
        npu_self_is_broadcast = False
        for x in dataset:
            loss = self.train_step(x)
            if not npu_self_is_broadcast:
                npu_device.distribute.broadcast(self.variables, root_rank=0)
                npu_self_is_broadcast = True
            print(loss)
#### findings
6 auto-check
#### a model with a fit() of its own that is told which step to run
import tensorflow as tf
class Net(tf.keras.Model):
    def train_step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self(x))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
    def fit(self, dataset, compiled):
        step = tf.function(self.train_step) if compiled else self.train_step
        for x in dataset:
            step(x)
#### with distributed=tf_strategy
#### findings
6 manual

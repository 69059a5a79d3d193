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
        if not npu_model_is_broadcast:
            model(x)
            npu_device.distribute.broadcast(model.variables, root_rank=0)
            npu_model_is_broadcast = True
        step(x, y)
    print(epoch)
#### findings
6 auto
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
        if not npu_model_is_broadcast:
            model(x)
            npu_device.distribute.broadcast(model.variables, root_rank=0)
            npu_model_is_broadcast = True
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
main()
#### findings
10 auto
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
            if not npu_model_is_broadcast:
                self.model(x)
                npu_device.distribute.broadcast(self.model.variables, root_rank=0)
                npu_model_is_broadcast = True
            self.step(x, y)
Trainer().train()
#### findings
11 auto
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
    if not npu_generator_is_broadcast:
        generator(x)
        npu_device.distribute.broadcast(generator.variables, root_rank=0)
        npu_generator_is_broadcast = True
    step(x)
    if not npu_critic_is_broadcast:
        npu_device.distribute.broadcast(critic.variables, root_rank=0)
        npu_critic_is_broadcast = True
#### findings
7 auto
8 manual
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
            if not npu_model_is_broadcast:
                one.get_concrete_function(iterator)
                npu_device.distribute.broadcast(model.variables, root_rank=0)
                npu_model_is_broadcast = True
            one(iterator)
        else:
            if not npu_model_is_broadcast:
                many.get_concrete_function(iterator, tf.constant(steps))
                npu_device.distribute.broadcast(model.variables, root_rank=0)
                npu_model_is_broadcast = True
            many(iterator, tf.constant(steps))
#### with distributed=tf_strategy
#### findings
8 auto
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
            if not npu_self_is_broadcast:
                self(x)
                npu_device.distribute.broadcast(self.variables, root_rank=0)
                npu_self_is_broadcast = True
            loss = self.train_step(x)
            print(loss)
#### findings
6 auto
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
#### after
import tensorflow as tf
import npu_device
class Net(tf.keras.Model):
    def train_step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self(x))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
    def fit(self, dataset, compiled):
        step = tf.function(self.train_step) if compiled else self.train_step
        npu_self_is_broadcast = False
        for x in dataset:
            if not npu_self_is_broadcast:
                self(x)
                npu_device.distribute.broadcast(self.variables, root_rank=0)
                npu_self_is_broadcast = True
            step(x)
#### findings
6 auto
#### a compiled step, which is traced before it trains
import tensorflow as tf
strategy = tf.distribute.get_strategy()
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
def train_step(inputs):
    images, labels = inputs
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, model(images, training=True))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss
@tf.function
def distributed_step(inputs):
    return strategy.run(train_step, args=(inputs,))
for epoch in range(2):
    total = 0.0
    for x in dataset:
        total += distributed_step(x)
#### after
import tensorflow as tf
import npu_device
strategy = tf.distribute.get_strategy()
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
def train_step(inputs):
    images, labels = inputs
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, model(images, training=True))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss
@tf.function
def distributed_step(inputs):
    return strategy.run(train_step, args=(inputs,))
npu_model_is_broadcast = False
for epoch in range(2):
    total = 0.0
    for x in dataset:
        if not npu_model_is_broadcast:
            distributed_step.get_concrete_function(x)
            npu_device.distribute.broadcast(model.variables, root_rank=0)
            npu_model_is_broadcast = True
        total += distributed_step(x)
#### with distributed=tf_strategy
#### findings
8 auto
#### a compiled step that gets what an iterator gives
import tensorflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
@tf.function
def step(batch, rate):
    with tf.GradientTape() as tape:
        loss = model(batch)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss
iterator = iter(dataset)
for _ in range(10):
    print(float(step(next(iterator), rate=0.1)))
#### after
import tensorflow as tf
import npu_device
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
@tf.function
def step(batch, rate):
    with tf.GradientTape() as tape:
        loss = model(batch)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss
iterator = iter(dataset)
npu_model_is_broadcast = False
for _ in range(10):
    npu_batch = next(iterator)
    if not npu_model_is_broadcast:
        step.get_concrete_function(npu_batch, rate=0.1)
        npu_device.distribute.broadcast(model.variables, root_rank=0)
        npu_model_is_broadcast = True
    print(float(step(npu_batch, rate=0.1)))
#### with distributed=tf_strategy
#### findings
7 auto
#### a step whose model is called by a function it is handed to
import tensorflow as tf
class Net(tf.keras.Model):
    def call(self, x, training=False):
        return tf.nn.dropout(x, 0.5) if training else x
def compute(net, x, y, training):
    return loss_fn(y, net(x, training=training))
def grad(net, inputs, targets):
    with tf.GradientTape() as tape:
        loss = compute(net, inputs, targets, training=True)
    return loss, tape.gradient(loss, net.trainable_variables)
model = Net()
optimizer = tf.keras.optimizers.SGD(0.1)
for x, y in dataset:
    loss, grads = grad(model, tf.cast(x, tf.float32), y)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### after
import tensorflow as tf
import npu_device
class Net(tf.keras.Model):
    def call(self, x, training=False):
        return tf.nn.dropout(x, 0.5) if training else x
def compute(net, x, y, training):
    return loss_fn(y, net(x, training=training))
def grad(net, inputs, targets):
    with tf.GradientTape() as tape:
        loss = compute(net, inputs, targets, training=True)
    return loss, tape.gradient(loss, net.trainable_variables)
model = Net()
optimizer = tf.keras.optimizers.SGD(0.1)
npu_model_is_broadcast = False
for x, y in dataset:
    if not npu_model_is_broadcast:
        model(tf.cast(x, tf.float32), training=False)
        npu_device.distribute.broadcast(model.variables, root_rank=0)
        npu_model_is_broadcast = True
    loss, grads = grad(model, tf.cast(x, tf.float32), y)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### findings
10 auto
#### a model that draws numbers whenever it is called
import tensorflow as tf
class Net(tf.keras.Model):
    def call(self, x):
        return x + tf.random.normal(x.shape)
model = Net()
def step(x):
    with tf.GradientTape() as tape:
        loss = loss_fn(model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
for x in dataset:
    step(x)
#### after
import tensorflow as tf
import npu_device
class Net(tf.keras.Model):
    def call(self, x):
        return x + tf.random.normal(x.shape)
model = Net()
def step(x):
    with tf.GradientTape() as tape:
        loss = loss_fn(model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
npu_model_is_broadcast = False
for x in dataset:
    step(x)
    if not npu_model_is_broadcast:
        npu_device.distribute.broadcast(model.variables, root_rank=0)
        npu_model_is_broadcast = True
#### with distributed=tf_strategy
#### findings
9 manual
#### a model that gets what is computed in the tape
import tensorflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
def step(x):
    with tf.GradientTape() as tape:
        noisy = add_noise(x)
        loss = loss_fn(model(noisy))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
for x in dataset:
    step(x)
#### after
import tensorflow as tf
import npu_device
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
def step(x):
    with tf.GradientTape() as tape:
        noisy = add_noise(x)
        loss = loss_fn(model(noisy))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
npu_model_is_broadcast = False
for x in dataset:
    step(x)
    if not npu_model_is_broadcast:
        npu_device.distribute.broadcast(model.variables, root_rank=0)
        npu_model_is_broadcast = True
#### with distributed=tf_strategy
#### findings
7 manual
#### a compiled step whose argument cannot be computed twice
import tensorflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = loss_fn(model(mix(x)))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
for x in dataset:
    step(augment(x))
#### after
import tensorflow as tf
import npu_device
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = loss_fn(model(mix(x)))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
npu_model_is_broadcast = False
for x in dataset:
    step(augment(x))
    if not npu_model_is_broadcast:
        npu_device.distribute.broadcast(model.variables, root_rank=0)
        npu_model_is_broadcast = True
#### with distributed=tf_strategy
#### findings
7 manual
#### two loops with a step of their own
import tensorflow as tf
class Net(tf.keras.Model):
    def call(self, x, training=True):
        return x
    def one(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self(x, True))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
    def other(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(self(x))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
    def steps(self, compiled):
        return (self.one, self.one) if compiled else (self.other, self.other)
    def fit(self, dataset, compiled):
        train, test = self.steps(compiled)
        for x in dataset:
            train(x)
#### after
import tensorflow as tf
import npu_device
class Net(tf.keras.Model):
    def call(self, x, training=True):
        return x
    def one(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self(x, True))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
    def other(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(self(x))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
    def steps(self, compiled):
        return (self.one, self.one) if compiled else (self.other, self.other)
    def fit(self, dataset, compiled):
        train, test = self.steps(compiled)
        npu_self_is_broadcast = False
        for x in dataset:
            if not npu_self_is_broadcast:
                self(x, False)
                npu_device.distribute.broadcast(self.variables, root_rank=0)
                npu_self_is_broadcast = True
            train(x)
#### with distributed=tf_strategy
#### findings
8 auto

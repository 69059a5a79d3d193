#### the counter of a loop
import tensorflow as tf


@tf.function
def step(x, number):
    with tf.GradientTape() as tape:
        loss = network(x) * number
    return tape.gradient(loss, variables)


for number in range(100):
    step(x, number)
#### findings
12 manual
#### a counter of enumerate, in a sum
import tensorflow as tf


@tf.function
def step(x, number):
    with tf.GradientTape() as tape:
        loss = network(x) * number
    return tape.gradient(loss, variables)


for number, x in enumerate(dataset):
    step(x, number + 1)
#### findings
12 manual
#### a function that is wrapped
import tensorflow as tf


def step(x, number):
    with tf.GradientTape() as tape:
        loss = network(x) * number
    return tape.gradient(loss, variables)


fast = tf.function(step)
for number in range(100):
    fast(x, number)
#### findings
12 manual
#### a tensor, an element, a comparison
import tensorflow as tf


@tf.function
def step(x, number):
    with tf.GradientTape() as tape:
        loss = network(x) * number
    return tape.gradient(loss, variables)


for number, x in enumerate(dataset):
    step(x, tf.constant(number))
    step(x, x)
    step(x, number == 0)
for number in tf.range(3):
    step(x, number)
#### no training
import tensorflow as tf


@tf.function
def double(number):
    return number * 2


for number in range(3):
    double(number)
#### not traced
import tensorflow as tf


def step(x, number):
    with tf.GradientTape() as tape:
        loss = network(x) * number
    return tape.gradient(loss, variables)


for number in range(3):
    step(x, number)

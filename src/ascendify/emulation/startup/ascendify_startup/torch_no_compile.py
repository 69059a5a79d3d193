"""Make ``torch.compile`` return the model unchanged.

Fused operators round differently, and the compilers for GPUs cannot be used here.
"""


def begin(recorder):
    """Make ``torch.compile`` return its argument, and record that once."""
    import torch

    noted = []

    def note():
        if not noted:
            noted.append(True)
            text = "torch.compile returned the model unchanged: nothing is compiled here"
            recorder.write({"source": "note", "text": text})

    def compile(model=None, **kwargs):
        note()
        return (lambda function: function) if model is None else model

    torch.compile = compile
    torch.nn.Module.compile = lambda self, *args, **kwargs: note()

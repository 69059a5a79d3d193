"""Programs that compile their model run it as it is written.

What a compiler fuses is rounded differently, and none of the compilers of a GPU is here.
"""


def begin(recorder):
    """Let ``torch.compile`` give back what it is given, and say so once."""
    import torch

    noted = []

    def note():
        if not noted:
            noted.append(True)
            text = "torch.compile gave the model back as it is: nothing is compiled here"
            recorder.write({"source": "note", "text": text})

    def compile(model=None, **kwargs):
        note()
        return (lambda function: function) if model is None else model

    torch.compile = compile
    torch.nn.Module.compile = lambda self, *args, **kwargs: note()

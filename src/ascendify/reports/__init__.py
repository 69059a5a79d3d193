"""What people and machines read: one :class:`~ascendify.reports.model.Report`, several renderers.

Renderers turn a finished report into text, JSON, SARIF, xlsx or GitHub annotations. They decide
nothing: every count, score and order comes from the model. This room knows findings; it does not
know rules, source trees or the migration pipeline.
"""

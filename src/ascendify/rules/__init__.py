"""What must change and why: one rule, one file, one code, one page, one table of cases.

A rule names what it fires on (resolved dotted names, never spellings), says why it matters, and
turns a match into a finding with an optional fix. Families are folders: ``tf1``, ``keras``,
``horovod``, ``shell``; adding a rule is adding a file. Rules read through
:class:`~ascendify.rules.site.File` and write through :class:`~ascendify.rules.fix.Fix`; they do not
open files, walk trees of their own accord or know how results are written or shown.
"""

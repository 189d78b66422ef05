"""The playground: `craton serve`, a page on this machine with an editor, and the jobs that it starts.

`app` answers requests (WSGI, any server may carry it), `guard` says which requests are the page's own, `jobs` runs what
is asked for, one after the other, each in a process (`job`) that sees its own folder and Craton, but no other file of
the user's.
"""

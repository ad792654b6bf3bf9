"""Runs a program in a terminal of 160 by 50 characters: standard input is the keyboard, standard output the screen."""

import fcntl
import os
import pty
import select
import struct
import sys
import termios

child, screen = pty.fork()
if child == 0:
    os.environ.update(TERM="xterm-256color", LANG="C.UTF-8")
    os.execv(sys.argv[1], sys.argv[1:])
fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
keys = sys.stdin.fileno()
watched = [screen, keys]
while True:
    ready, _, _ = select.select(watched, [], [])
    if keys in ready:
        pressed = os.read(keys, 65536)
        if pressed:
            os.write(screen, pressed)
        else:
            watched.remove(keys)
    if screen not in ready:
        continue
    try:
        shown = os.read(screen, 65536)
    except OSError:
        shown = b""
    if not shown:
        break
    os.write(sys.stdout.fileno(), shown)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))

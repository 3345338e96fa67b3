"""Loaded by every Python of the lab's Ironic: remembers the answers of one slow and pure function.

The Redfish driver runs PBKDF2 with 600,000 rounds on the BMC password at every access to a BMC, 0.5 s of CPU each.
That protects real passwords in a real data centre; here it would only make twenty made-up machines slow.
"""

import functools
import hashlib

hashlib.pbkdf2_hmac = functools.lru_cache(maxsize=4096)(hashlib.pbkdf2_hmac)

"""Settings of the BMC emulator. It reads this file as Python; the lab's own values come as JSON.

The patches below are to the emulator's made-up hardware, never to what Ironic runs.
"""

import json
import os
import types

from sushy_tools import error
from sushy_tools.emulator import memoize
from sushy_tools.emulator.resources.systems import fakedriver



class _RememberedDict(memoize.PersistentDict):
    """Reads each value from SQLite once. A read of a system asks for a dozen values, and each opened the file anew."""

    def make_permanent(self, dbpath, dbfile):
        super().make_permanent(dbpath, dbfile)
        self._blobs = {}
        for key in super().__iter__():
            self._blobs[self.encode(key)] = self.encode(super().__getitem__(key))

    def __getitem__(self, key):
        # Decoded at every read, because callers change the result as their own copy.
        return self.decode(self._blobs[self.encode(key)])

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self._blobs[self.encode(key)] = self.encode(value)

    def __delitem__(self, key):
        super().__delitem__(key)
        del self._blobs[self.encode(key)]

    def __iter__(self):
        return iter([self.decode(key) for key in self._blobs])

    def __len__(self):
        return len(self._blobs)


memoize.PersistentDict = _RememberedDict

with open(os.environ['TEMPER_REDFISH_SETTINGS'], encoding='utf-8') as _file:
    _settings = json.load(_file)

SUSHY_EMULATOR_FAKE_DRIVER = True
SUSHY_EMULATOR_STATE_DIR = _settings['stateDir']
SUSHY_EMULATOR_AUTH_FILE = _settings['passwordFile']
SUSHY_EMULATOR_FAKE_SYSTEMS = _settings['systems']
EXTERNAL_NOTIFICATION_URL = _settings['notifyUrl']

# By default, a change of power becomes visible after a random 1 to 11 seconds.
fakedriver.random = types.SimpleNamespace(randint=lambda low, high: 0)

# Attributes of the emulator's own BIOS registry.
_DEFAULT_BIOS = {
    'BootMode': 'Uefi',
    'EmbeddedSata': 'Raid',
    'L2Cache': '10x256 KB',
    'NicBoot1': 'NetworkBoot',
    'NumCores': 10,
    'ProcTurboMode': 'Enabled',
    'QuietBoot': True,
    'SecureBootStatus': 'Enabled',
}
_DEFAULT_VERSIONS = {'BiosVersion': '1.0.0'}


class _Attributes:
    """One dictionary per system that outlives the emulator; the fake driver has none of its own."""

    def __init__(self, name, default):
        self._default = default
        self._stored = memoize.PersistentDict()
        self._stored.make_permanent(_settings['stateDir'], name)

    def get(self, identity):
        return dict(self._default, **self._stored.get(identity, {}))

    def change(self, identity, values):
        unknown = sorted(set(values) - set(self._default))
        if unknown:
            raise error.FishyError('Unknown attributes: %s' % ', '.join(unknown), code=400)
        self._stored[identity] = dict(self._stored.get(identity, {}), **values)

    def reset(self, identity):
        self._stored[identity] = {}


_bios = _Attributes('bios', _DEFAULT_BIOS)
_versions = _Attributes('versions', _DEFAULT_VERSIONS)


class LabDriver(fakedriver.FakeDriver):
    """The fake driver with BIOS settings and firmware versions, and with the machines of this lab only."""

    def __init__(self):
        super().__init__()
        wanted = {system['uuid']: system for system in _settings['systems']}
        for uuid, stored in list(self._systems.items()):
            if uuid not in wanted:
                del self._systems[uuid]
                continue
            fixed = {key: wanted[uuid][key] for key in ('name', 'nics', 'external_notifier')}
            if any(stored.get(key) != value for key, value in fixed.items()):
                self._systems[uuid] = dict(stored, **fixed)
        self._by_name = {system['name']: uuid for uuid, system in wanted.items()}

    def get_bios(self, identity):
        return _bios.get(self.uuid(identity))

    def set_bios(self, identity, attributes):
        _bios.change(self.uuid(identity), attributes)

    def reset_bios(self, identity):
        _bios.reset(self.uuid(identity))

    def get_versions(self, identity):
        return _versions.get(self.uuid(identity))

    def set_versions(self, identity, firmware_versions):
        _versions.change(self.uuid(identity), firmware_versions)

    def get_total_cpus(self, identity):
        return self._get(identity)['cpus']

    def get_total_memory(self, identity):
        return self._get(identity)['memory_gib']


fakedriver.FakeDriver = LabDriver

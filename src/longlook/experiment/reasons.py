"""Why a sample may be rejected: the one list, used by the oracle, the records and the audit."""

REASONS = {
    "load_failed": "the client did not finish, or finished what was to last",
    "status": "an answer's status was not 200",
    "protocol": "an answer came over another protocol than the one under test",
    "compressed": "an answer had a content encoding",
    "cached": "an answer came from the client's cache",
    "object_count": "the objects loaded were not those of the workload",
    "object_size": "an object's size was not the workload's",
    "object_content": "an object's bytes were not the workload's",
    "cut_short": "a download ended before it was whole, and nobody who plays the film wanted it to",
    "not_started": "the player never began to play",
    "frames_dropped": "the browser dropped frames: the machine was too slow for the film",
    "playback": "the account of a session does not add up",
    "several_connections": "a load used more than one connection",
    "connection_reused": "the load did not open a connection of its own",
    "connection_not_reused": "the load opened a connection, though it was to use that of the load before",
    "zero_rtt_rejected": "a load that should resume with 0-RTT did not",
    "unexpected_zero_rtt": "the cold load was not cold: it resumed with 0-RTT",
    "cca": "the congestion controller in force was not the arm's",
    "link_changed": "somebody else set the link while the load was under way",
    "disturbed": "the machine stalled or was saturated during the load",
}

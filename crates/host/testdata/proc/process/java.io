rchar: 759903
wchar: 32
syscr: 355
syscw: 11
read_bytes: 0
write_bytes: 49152
cancelled_write_bytes: 0

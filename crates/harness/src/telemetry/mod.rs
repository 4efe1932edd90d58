//! What a subject's processes use, read from outside: /proc and the JVM's performance-data file.

/* jni.h includes this file, but uses nothing of it. The library is compiled without headers of a C library. */

/*
 * The library in the JVM that passes marks to the kernel side: a system call that always fails, and that whittle's BPF
 * programs see. Its arguments are explained in docs/developer/instrument.md.
 *
 * The library uses no symbol of a C library, so one file works with glibc and with musl.
 */
#include <jni.h>

enum {
    MARK = 0x77687474,
    LONGEST_NAME = 128,
};

#if defined(__x86_64__)
enum { PRCTL = 157 };

static long system_call(long number, long first, long second, long third, long fourth)
{
    long result;
    register long fourth_register __asm__("r10") = fourth;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(fourth_register)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
enum { PRCTL = 167 };

static long system_call(long number, long first, long second, long third, long fourth)
{
    register long number_register __asm__("x8") = number;
    register long first_register __asm__("x0") = first;
    register long second_register __asm__("x1") = second;
    register long third_register __asm__("x2") = third;
    register long fourth_register __asm__("x3") = fourth;
    __asm__ volatile("svc #0"
                     : "+r"(first_register)
                     : "r"(number_register), "r"(second_register), "r"(third_register), "r"(fourth_register)
                     : "memory", "cc");
    return first_register;
}
#else
#error "no system calls for this architecture"
#endif

static void mark(unsigned long word, jlong id, const void *address)
{
    system_call(PRCTL, MARK, (long)word, (long)id, (long)address);
}

/* `word` has what, kind and status, as in the second argument of the system call. */
static void JNICALL mark_plain(JNIEnv *env, jclass marks, jlong word, jlong id)
{
    (void)env;
    (void)marks;
    mark((unsigned long)word, id, 0);
}

/* Puts the first bytes of `name` into the mark. The length in `word` is 0 when this function is called. */
static void JNICALL mark_named(JNIEnv *env, jclass marks, jlong word, jlong id, jbyteArray name)
{
    jbyte text[LONGEST_NAME];
    jsize length = (*env)->GetArrayLength(env, name);
    (void)marks;
    if (length > LONGEST_NAME)
        length = LONGEST_NAME;
    (*env)->GetByteArrayRegion(env, name, 0, length, text);
    mark((unsigned long)word | (unsigned long)length << 16, id, text);
}

/* A failure leaves `ready` false, and the agent makes no marks. */
static jint connect(JNIEnv *env)
{
    static char plain_name[] = "plain", plain_signature[] = "(JJ)V";
    static char named_name[] = "named", named_signature[] = "(JJ[B)V";
    JNINativeMethod methods[2];
    jclass marks = (*env)->FindClass(env, "java/whittle/Marks");
    jfieldID ready;
    if (!marks)
        return JNI_ERR;
    methods[0].name = plain_name;
    methods[0].signature = plain_signature;
    methods[0].fnPtr = (void *)mark_plain;
    methods[1].name = named_name;
    methods[1].signature = named_signature;
    methods[1].fnPtr = (void *)mark_named;
    if ((*env)->RegisterNatives(env, marks, methods, 2) != JNI_OK)
        return JNI_ERR;
    ready = (*env)->GetStaticFieldID(env, marks, "ready", "Z");
    if (!ready)
        return JNI_ERR;
    (*env)->SetStaticBooleanField(env, marks, ready, JNI_TRUE);
    return JNI_OK;
}

/* HotSpot calls this function when whittle attaches the library. Each later attachment calls it again. */
__attribute__((visibility("default"))) jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    JNIEnv *env;
    (void)options;
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK)
        return JNI_ERR;
    if (connect(env) == JNI_OK)
        return JNI_OK;
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    return JNI_ERR;
}

/*
 * The library in the JVM that passes marks to the kernel side: a system call that always fails, and that whittle's BPF
 * programs see. Its arguments are explained in docs/developer/instrument.md. The library also makes the JVM give ids to old
 * versions of changed methods.
 *
 * The library uses no symbol of a C library, so one file works with glibc and with musl.
 */
#include <jni.h>
#include <jvmti.h>

enum {
    MARK = 0x77687474,
    LONGEST_NAME = 128,
    FRAMES_AT_ONCE = 512,
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

/* The JVM keeps it. It has no capability and no event. */
static jvmtiEnv *jvmti;

/*
 * Asks the JVM for a thread's stack, and uses nothing of it. The JVM gives an id to each method on the stack that has none:
 * to the old versions of changed methods. A profiler that walks a stack needs the ids.
 */
static jboolean name_methods_of(jthread thread)
{
    jvmtiFrameInfo frames[FRAMES_AT_ONCE];
    jint count, depth = 0;
    do {
        if ((*jvmti)->GetStackTrace(jvmti, thread, depth, FRAMES_AT_ONCE, frames, &count) != JVMTI_ERROR_NONE)
            return JNI_FALSE;
        depth += count;
    } while (count == FRAMES_AT_ONCE);
    return JNI_TRUE;
}

/* All platform threads. One that has ended meanwhile needs no names. */
static void JNICALL name_all(JNIEnv *env, jclass old_methods)
{
    jthread *threads;
    jint count, number;
    (void)old_methods;
    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    for (number = 0; number < count; number++) {
        name_methods_of(threads[number]);
        (*env)->DeleteLocalRef(env, threads[number]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
}

static jboolean JNICALL name_one(JNIEnv *env, jclass old_methods, jobject thread)
{
    (void)env;
    (void)old_methods;
    return name_methods_of(thread);
}

static jint connect_marks(JNIEnv *env, jclass marks)
{
    static char plain_name[] = "plain", plain_signature[] = "(JJ)V";
    static char named_name[] = "named", named_signature[] = "(JJ[B)V";
    JNINativeMethod methods[2];
    methods[0].name = plain_name;
    methods[0].signature = plain_signature;
    methods[0].fnPtr = (void *)mark_plain;
    methods[1].name = named_name;
    methods[1].signature = named_signature;
    methods[1].fnPtr = (void *)mark_named;
    return (*env)->RegisterNatives(env, marks, methods, 2);
}

static jint connect_old_methods(JNIEnv *env)
{
    static char all_name[] = "nameAll", all_signature[] = "()V";
    static char one_name[] = "nameOne", one_signature[] = "(Ljava/lang/Object;)Z";
    JNINativeMethod methods[2];
    jclass old_methods = (*env)->FindClass(env, "whittle/agent/OldMethods");
    if (!old_methods)
        return JNI_ERR;
    methods[0].name = all_name;
    methods[0].signature = all_signature;
    methods[0].fnPtr = (void *)name_all;
    methods[1].name = one_name;
    methods[1].signature = one_signature;
    methods[1].fnPtr = (void *)name_one;
    return (*env)->RegisterNatives(env, old_methods, methods, 2);
}

/* A failure leaves `ready` false, and the agent makes no marks. */
static jint connect(JNIEnv *env)
{
    jclass marks = (*env)->FindClass(env, "java/whittle/Marks");
    jfieldID ready;
    if (!marks || connect_marks(env, marks) != JNI_OK || connect_old_methods(env) != JNI_OK)
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
    if (!jvmti && (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    if (connect(env) == JNI_OK)
        return JNI_OK;
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    return JNI_ERR;
}

package java.whittle;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.concurrent.ConcurrentHashMap;

/** Calls public methods of classes that this loader cannot see. Each class remembers its methods. */
final class Reflected {
    private static final ClassValue<Reflected> CLASSES = new ClassValue<Reflected>() {
        @Override
        protected Reflected computeValue(Class<?> type) {
            return new Reflected(type);
        }
    };
    private static final Class<?>[] NOTHING = {};

    private final Class<?> type;
    private final ConcurrentHashMap<String, Object> methods = new ConcurrentHashMap<>();

    private Reflected(Class<?> type) {
        this.type = type;
    }

    /** The result of the first of these methods without parameters that the object has, or null. */
    static Object call(Object object, String... names) throws ReflectiveOperationException {
        Reflected methods = CLASSES.get(object.getClass());
        for (String name : names) {
            Method method = methods.method(name, NOTHING);
            if (method != null) {
                return method.invoke(object);
            }
        }
        return null;
    }

    /** The result of a method with one parameter of type `int`, or null if the object has no such method. */
    static Object call(Object object, String name, int argument) throws ReflectiveOperationException {
        Method method = CLASSES.get(object.getClass()).method(name, int.class);
        return method == null ? null : method.invoke(object, argument);
    }

    private Method method(String name, Class<?>... parameters) {
        Object known = methods.get(name);
        if (known == null) {
            Method found = find(type, name, parameters);
            known = found == null ? NOTHING : found;
            methods.put(name, known);
        }
        return known == NOTHING ? null : (Method) known;
    }

    /** The method in a public class or interface, so that it can be called from here. */
    private static Method find(Class<?> type, String name, Class<?>... parameters) {
        if (type == null) {
            return null;
        }
        if (Modifier.isPublic(type.getModifiers())) {
            try {
                Method method = type.getDeclaredMethod(name, parameters);
                if (Modifier.isPublic(method.getModifiers())) {
                    return method;
                }
            } catch (NoSuchMethodException | LinkageError missing) {
                // A superclass or an interface can have the method.
            }
        }
        for (Class<?> parent : type.getInterfaces()) {
            Method method = find(parent, name, parameters);
            if (method != null) {
                return method;
            }
        }
        return find(type.getSuperclass(), name, parameters);
    }
}

package java.whittle.trial;

import java.util.Stack;
import java.util.Vector;

/**
 * A Stack or a Vector for one thread: the usual methods take no lock. All other methods are those of the parent. A Stack is a Vector, so one
 * class is enough for both.
 */
public final class UnlockedStack extends Stack<Object> {
    private static final long serialVersionUID = 1;
    private final transient int place;
    private transient Thread user;

    private UnlockedStack(int place) {
        this.place = place;
        Places.count(place);
    }

    /** Instead of the constructor. */
    @SuppressWarnings("rawtypes")
    public static Stack stack(int place) {
        return new UnlockedStack(place);
    }

    /** Instead of the constructor. */
    @SuppressWarnings("rawtypes")
    public static Vector vector(int place) {
        return new UnlockedStack(place);
    }

    /** Instead of the constructor. */
    @SuppressWarnings("rawtypes")
    public static Vector vector(int capacity, int place) {
        UnlockedStack vector = new UnlockedStack(place);
        if (capacity < 0) {
            return new Vector<Object>(capacity);
        }
        vector.elementData = new Object[capacity];
        return vector;
    }

    /** A thread uses the object. True: the index is that of an element. */
    private boolean has(int index) {
        Thread now = Thread.currentThread();
        if (now != user) {
            if (user != null) {
                Places.breaks(place, "several threads use such an object");
            }
            user = now;
        }
        return index >= 0 && index < elementCount;
    }

    @Override
    public Object push(Object element) {
        addElement(element);
        return element;
    }

    @Override
    public boolean add(Object element) {
        addElement(element);
        return true;
    }

    @Override
    public void addElement(Object element) {
        has(0);
        if (elementCount == elementData.length) {
            super.addElement(element);
            return;
        }
        modCount++;
        elementData[elementCount++] = element;
    }

    @Override
    public Object pop() {
        return has(elementCount - 1) ? removeLast(elementCount - 1) : super.pop();
    }

    private Object removeLast(int last) {
        Object element = elementData[last];
        modCount++;
        elementCount = last;
        elementData[last] = null;
        return element;
    }

    @Override
    public Object peek() {
        return has(elementCount - 1) ? elementData[elementCount - 1] : super.peek();
    }

    @Override
    public Object lastElement() {
        return has(elementCount - 1) ? elementData[elementCount - 1] : super.lastElement();
    }

    @Override
    public Object firstElement() {
        return has(0) ? elementData[0] : super.firstElement();
    }

    @Override
    public Object get(int index) {
        return has(index) ? elementData[index] : super.get(index);
    }

    @Override
    public Object elementAt(int index) {
        return has(index) ? elementData[index] : super.elementAt(index);
    }

    @Override
    public Object set(int index, Object element) {
        if (!has(index)) {
            return super.set(index, element);
        }
        Object old = elementData[index];
        elementData[index] = element;
        return old;
    }

    @Override
    public int size() {
        has(0);
        return elementCount;
    }

    @Override
    public boolean isEmpty() {
        return !has(0);
    }

    @Override
    public boolean empty() {
        return !has(0);
    }
}

package whittle.tests.trial;

import java.util.ListResourceBundle;

/** Texts that a test finds by the name of this class. */
public final class Texts extends ListResourceBundle {
    @Override
    protected Object[][] getContents() {
        return new Object[][] {{"text", "found"}};
    }
}

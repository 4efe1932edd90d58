package lab;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/** A person, about 1 KB when it is filled and serialized. */
public class Person implements Serializable {
    private static final long serialVersionUID = 1L;

    private String name;
    private int age;
    private boolean active;
    private double score;
    private long created;
    private String email;
    private String homepage;
    private List<Long> ids;
    private Map<String, String> phones;
    private FullAddress home;
    private List<FullAddress> addresses;

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }

    public int getAge() {
        return age;
    }

    public void setAge(int age) {
        this.age = age;
    }

    public boolean isActive() {
        return active;
    }

    public void setActive(boolean active) {
        this.active = active;
    }

    public double getScore() {
        return score;
    }

    public void setScore(double score) {
        this.score = score;
    }

    public long getCreated() {
        return created;
    }

    public void setCreated(long created) {
        this.created = created;
    }

    public String getEmail() {
        return email;
    }

    public void setEmail(String email) {
        this.email = email;
    }

    public String getHomepage() {
        return homepage;
    }

    public void setHomepage(String homepage) {
        this.homepage = homepage;
    }

    public List<Long> getIds() {
        return ids;
    }

    public void setIds(List<Long> ids) {
        this.ids = ids;
    }

    public Map<String, String> getPhones() {
        return phones;
    }

    public void setPhones(Map<String, String> phones) {
        this.phones = phones;
    }

    public FullAddress getHome() {
        return home;
    }

    public void setHome(FullAddress home) {
        this.home = home;
    }

    public List<FullAddress> getAddresses() {
        return addresses;
    }

    public void setAddresses(List<FullAddress> addresses) {
        this.addresses = addresses;
    }
}

import java.sql.PreparedStatement;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Items, carts and orders in a database that is empty at the start. Prices are in cents. */
class Store {
    static final int ITEMS = 1000;
    static final int ITEMS_OF_A_PAGE = 20;
    static final int PAGES = ITEMS / ITEMS_OF_A_PAGE;
    /** Attribute of a session: the number of its cart. */
    static final String CART = "cart";

    private static final String[] THINGS = {
        "Cup & saucer", "Kettle", "Lamp", "Chair \"Oslo\"", "Blanket", "Knife", "Clock", "Shelf, 80 cm < 1 m", "Mirror", "Pan"
    };
    private static final String[] TABLES = {
        "create table item (id int primary key, name varchar(80) not null, cents int not null)",
        "create table cart_line (cart bigint, item int references item(id), quantity int not null,"
                + " primary key (cart, item))",
        "create table orders (id bigint generated always as identity primary key, customer varchar(20) not null,"
                + " cents bigint not null)",
        "create index orders_of_customer on orders (customer, id)",
        "create table order_line (order_id bigint references orders(id), item int references item(id),"
                + " quantity int not null, primary key (order_id, item))",
    };
    private static final RowMapper<Item> ITEM =
            (row, number) -> new Item(row.getInt("id"), row.getString("name"), row.getInt("cents"));

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final AtomicLong carts = new AtomicLong();

    record Item(int id, String name, int cents) {}

    record Line(Item item, int quantity) {
        long cents() {
            return (long) item.cents() * quantity;
        }
    }

    record Order(long order, long cents) {}

    Store(JdbcTemplate jdbc, PlatformTransactionManager transactions) {
        this.jdbc = jdbc;
        this.transaction = new TransactionTemplate(transactions);
        jdbc.batchUpdate(TABLES);
        List<Object[]> items = IntStream.rangeClosed(1, ITEMS)
                .mapToObj(id -> new Object[] {id, THINGS[id % THINGS.length] + " no. " + id, 100 + id * 7919 % 9900})
                .toList();
        jdbc.batchUpdate("insert into item (id, name, cents) values (?, ?, ?)", items);
    }

    /** Items of a page, counted from 1; none beyond the last. */
    List<Item> items(int page) {
        return jdbc.query("select id, name, cents from item order by id limit ? offset ?", ITEM,
                ITEMS_OF_A_PAGE, (page - 1) * ITEMS_OF_A_PAGE);
    }

    /** The item; null where there is none. */
    Item item(int id) {
        return jdbc.query("select id, name, cents from item where id = ?", ITEM, id).stream().findFirst().orElse(null);
    }

    long newCart() {
        return carts.incrementAndGet();
    }

    void add(long cart, int item, int quantity) {
        if (addToLine(cart, item, quantity)) {
            return;
        }
        try {
            jdbc.update("insert into cart_line (cart, item, quantity) values (?, ?, ?)", cart, item, quantity);
        } catch (DuplicateKeyException e) {
            // Another request of the same user was faster.
            addToLine(cart, item, quantity);
        }
    }

    private boolean addToLine(long cart, int item, int quantity) {
        return 1 == jdbc.update(
                "update cart_line set quantity = quantity + ? where cart = ? and item = ?", quantity, cart, item);
    }

    List<Line> lines(long cart) {
        return jdbc.query("select id, name, cents, quantity from cart_line join item on id = item where cart = ? order by id",
                (row, number) -> new Line(ITEM.mapRow(row, number), row.getInt("quantity")), cart);
    }

    /** An order of everything in the cart, which is empty then; null where it was empty. */
    Order checkout(long cart, String customer) {
        return transaction.execute(status -> {
            List<Line> lines = lines(cart);
            // Another request of the same user may have ordered them meanwhile.
            if (lines.isEmpty() || jdbc.update("delete from cart_line where cart = ?", cart) != lines.size()) {
                status.setRollbackOnly();
                return null;
            }
            return insert(customer, lines);
        });
    }

    Order order(String customer, Line line) {
        return transaction.execute(status -> insert(customer, List.of(line)));
    }

    private Order insert(String customer, List<Line> lines) {
        long cents = lines.stream().mapToLong(Line::cents).sum();
        GeneratedKeyHolder key = new GeneratedKeyHolder();
        jdbc.update(connection -> {
            PreparedStatement insert = connection.prepareStatement(
                    "insert into orders (customer, cents) values (?, ?)", new String[] {"id"});
            insert.setString(1, customer);
            insert.setLong(2, cents);
            return insert;
        }, key);
        long id = key.getKey().longValue();
        List<Object[]> rows =
                lines.stream().map(line -> new Object[] {id, line.item().id(), line.quantity()}).toList();
        jdbc.batchUpdate("insert into order_line (order_id, item, quantity) values (?, ?, ?)", rows);
        return new Order(id, cents);
    }

    /** The last 20 orders of a customer, the newest first. */
    List<Order> orders(String customer) {
        return jdbc.query("select id, cents from orders where customer = ? order by id desc limit 20",
                (row, number) -> new Order(row.getLong("id"), row.getLong("cents")), customer);
    }
}
